package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Engine.Unavailable;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine that is reached by TLS: each shows the other a certificate, or nothing is said. */
class DockerTlsIT {

    @TempDir
    private Path folder;

    @Test
    void an_engine_by_tls_is_used_with_its_certificates_and_never_without() throws Exception {
        var ours = certificates("ours");
        var others = certificates("others");
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var host = "tcp://127.0.0.1:" + port;
        try (var daemon = new TestDaemon(
                "--host=" + host,
                "--tlsverify",
                "--tlscacert=" + ours.resolve("ca.pem"),
                "--tlscert=" + ours.resolve("server.pem"),
                "--tlskey=" + ours.resolve("server-key.pem"))) {
            try (var tasks = new TestDocker(folder.toRealPath(), settings("good", host, ours))) {
                assertThat(tasks.run("by-tls", "echo through; exit 3").exitCode())
                        .isEqualTo(3);
                assertThat(tasks.log("by-tls")).isEqualTo("through\n");
            }
            assertThat(daemon.left()).isEmpty();
            var vertx = Vertx.vertx();
            try {
                // another authority's certificates: the engine is not who it says, and we are not who it lets in
                var stranger = DockerEngine.open(
                                vertx, settings("strange", host, others), new CollectorRegistry(), List::of)
                        .await();
                assertThatThrownBy(() -> stranger.list().await()).isInstanceOf(Unavailable.class);
                stranger.close().await();
                assertThat(DockerEngine.answers(vertx, settings("plain", host, null))
                                .await())
                        .isFalse();
            } finally {
                vertx.close().await();
            }
        }
        assertThatThrownBy(() -> settings("plain", host, null).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without TLS")
                .hasMessageContaining("--docker-certs");
        assertThatThrownBy(
                        () -> settings("none", host, folder.resolve("nothing")).check())
                .hasMessageContaining("ca.pem");
    }

    @Test
    void an_engine_that_takes_connections_and_says_nothing_holds_nobody_up() throws Exception {
        var ours = certificates("silent");
        var vertx = Vertx.vertx();
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var settings = settings("silent", "tcp://127.0.0.1:" + silent.getLocalPort(), ours);
            var answers = DockerEngine.answers(vertx, settings);
            var opening = DockerEngine.open(vertx, settings, new CollectorRegistry(), List::of);
            assertThat(answers.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .isFalse();
            var engine = opening.toCompletionStage().toCompletableFuture().get(40, TimeUnit.SECONDS);
            assertThatThrownBy(() -> engine.inventory().await())
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("did not answer within");
            engine.close().await();
        } finally {
            vertx.close().await();
        }
    }

    private DockerSettings settings(String name, String host, @Nullable Path certificates) {
        return new DockerSettings(
                folder.resolve(name),
                host,
                certificates,
                folder.resolve("homes"),
                folder.resolve("shared"),
                folder.resolve("common"),
                List.of(),
                Path.of("/"),
                "198.19.0.0/16",
                0,
                DockerSettings.Fence.CLOSED);
    }

    private Path certificates(String name) throws Exception {
        var made = Files.createDirectories(folder.resolve("certificates-" + name));
        var script = """
                set -e
                cd "$0"
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout ca-key.pem -out ca.pem
                for who in server client; do
                  openssl req -newkey rsa:2048 -nodes -subj /CN=$who -keyout $who-key.pem -out $who.csr
                done
                printf 'subjectAltName=IP:127.0.0.1\\nextendedKeyUsage=serverAuth' > server.ext
                printf 'extendedKeyUsage=clientAuth' > client.ext
                for who in server client; do
                  openssl x509 -req -days 2 -in $who.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -extfile $who.ext -out $who.pem
                done
                mv client.pem cert.pem; mv client-key.pem key.pem
                """;
        TestDaemon.sh(List.of("bash", "-c", script, made.toString()), null);
        return made;
    }
}
