package io.sluice.database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.spi.DatabaseMetadata;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Where the database is and how to sign in; never printed, for it holds the password. */
final class Target {

    private static final int OLDEST = 15;
    private static final int IDLE_SECONDS = 60;
    private static final String SHAPE = "postgresql://user:password@host:port/database?sslmode=require";

    private static final Set<SslMode> VERIFYING = EnumSet.of(SslMode.VERIFY_CA, SslMode.VERIFY_FULL);

    private static final String NO_AUTHORITY = "--db: sslrootcert names %s, in which no certificate can be read.";

    private final PgConnectOptions options;

    Target(PgConnectOptions options) {
        this.options = options;
    }

    static Target of(String url) {
        var parameters = parameters(url);
        try {
            var options = PgConnectOptions.fromUri(url);
            if (!parameters.containsKey("sslmode")) {
                // like libpq, which encrypts wherever the server can
                options.setSslMode(SslMode.PREFER);
            }
            return new Target(options.setSslOptions(trust(options.getSslMode(), parameters.get("sslrootcert"))));
        } catch (IllegalArgumentException e) {
            // no cause: its message repeats the URL with the password
            throw new Database.Unavailable(
                    "--db (or SLUICE_DB) is not a URL of the form " + SHAPE + "; write special characters as %-codes.");
        }
    }

    private static Map<String, String> parameters(String url) {
        var parameters = new HashMap<String, String>();
        var begin = url.indexOf('?');
        if (begin >= 0) {
            for (var pair : url.substring(begin + 1).split("&")) {
                var parts = pair.split("=", 2);
                parameters.put(parts[0].toLowerCase(Locale.ROOT), parts.length < 2 ? "" : decoded(parts[1]));
            }
        }
        return parameters;
    }

    private static String decoded(String value) {
        return URLDecoder.decode(value, StandardCharsets.UTF_8);
    }

    private static ClientSSLOptions trust(SslMode mode, @Nullable String authority) {
        var ssl = new ClientSSLOptions();
        if (!VERIFYING.contains(mode)) {
            return ssl.setTrustAll(true);
        }
        return ssl.setTrustOptions(authority == null ? known() : named(authority))
                .setHostnameVerificationAlgorithm(mode == SslMode.VERIFY_FULL ? "HTTPS" : "");
    }

    /** Read here once, for a file that is not there would only show as a server that does not answer. */
    private static TrustOptions named(String authority) {
        try (var in = Files.newInputStream(Path.of(authority))) {
            if (!CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .isEmpty()) {
                return new PemTrustOptions().addCertPath(authority);
            }
        } catch (IOException | CertificateException e) {
            throw new Database.Unavailable(NO_AUTHORITY.formatted(authority), e);
        }
        throw new Database.Unavailable(NO_AUTHORITY.formatted(authority));
    }

    /** The authorities that Java knows. */
    private static TrustOptions known() {
        try {
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return TrustOptions.wrap(factory.getTrustManagers()[0]);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    Pool pool(Vertx vertx, Database.Settings settings) {
        return pool(vertx, settings, settings.poolSize(), IDLE_SECONDS, "sluice");
    }

    /** A pool that drops a connection on which nothing has been heard for so long, a half-open one included. */
    Pool pool(Vertx vertx, Database.Settings settings, int size, int silentSeconds, String name) {
        var millis = (int) settings.queryTimeout().toMillis();
        return PgBuilder.pool()
                .using(vertx)
                .connectingTo(bounded(millis).addProperty("application_name", name))
                .with(new PoolOptions()
                        .setMaxSize(size)
                        .setMaxWaitQueueSize(settings.waiting())
                        // in time: one that is dropped for its silence may have been lent just then
                        .setIdleTimeout(silentSeconds / 2)
                        // for the pool to forget a caller who has been told already
                        .setConnectionTimeout(2 * millis)
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
                .with(new NetClientOptions().setConnectTimeout(millis).setReadIdleTimeout(silentSeconds))
                .build();
    }

    private PgConnectOptions bounded(int millis) {
        // the server gives up a little before the caller does, so that a slow statement costs no connection
        var statement = Integer.toString(millis * 9 / 10);
        return new PgConnectOptions(options)
                .setCachePreparedStatements(true)
                .addProperty("statement_timeout", statement)
                .addProperty("idle_in_transaction_session_timeout", statement);
    }

    /** For work that may take its time. */
    PgConnectOptions unbounded() {
        return new PgConnectOptions(options).addProperty("application_name", "sluice migrations");
    }

    /** With the password. */
    String url() {
        return "postgresql://%s:%s@%s:%d/%s?sslmode=%s"
                .formatted(
                        options.getUser(),
                        options.getPassword(),
                        options.getHost(),
                        options.getPort(),
                        options.getDatabase(),
                        options.getSslMode().value);
    }

    Future<Void> checkVersion(SqlConnection connection) {
        return checkVersion(connection.databaseMetadata());
    }

    Future<Void> checkVersion(DatabaseMetadata server) {
        return server.majorVersion() >= OLDEST
                ? Future.succeededFuture()
                : Future.failedFuture(
                        new Database.Unavailable("The database at %s is PostgreSQL %s; Sluice needs %d or newer."
                                .formatted(place(), server.fullVersion(), OLDEST)));
    }

    /** One line for a start that failed. */
    Database.Unavailable explain(Throwable failure) {
        return failure instanceof Database.Unavailable known && known.getCause() == null
                ? known
                : new Database.Unavailable(
                        "No database at %s: %s; check that PostgreSQL runs there and that --db names the right user, password and database."
                                .formatted(place(), Failures.line(failure).replaceAll("\\.$", "")),
                        failure);
    }

    private String place() {
        return options.getHost() + ":" + options.getPort() + "/" + options.getDatabase();
    }
}
