package planted.jobs;

import com.github.dockerjava.api.DockerClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.web.Router;
import io.vertx.httpproxy.HttpProxy;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import org.apache.sshd.server.SshServer;
import org.eclipse.jgit.lib.ObjectReader;
import software.amazon.awssdk.services.s3.S3Client;

/** Knows every library that has its home elsewhere. */
public record Jobs(
        Pool pool,
        PgBuilder builder,
        Router router,
        JWTAuth tokens,
        DockerClient docker,
        KubernetesClient kubernetes,
        HttpProxy proxy,
        SshServer ssh,
        S3Client stores,
        ObjectReader objects) {}
