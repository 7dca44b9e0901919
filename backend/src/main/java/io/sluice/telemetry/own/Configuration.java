package io.sluice.telemetry.own;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;

/** The files that it is started with. They are written at every start, with secrets that are new each time the gateway starts. */
final class Configuration {
    private static final String NAME = "sluice";
    /** The password is as long as a key, so that nobody guesses it and it need not be slow to check. */
    private static final int COST = 4;

    private static final int LAST_WORDS = 600;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;
    private final String password = fresh();
    private final String token = fresh();

    Configuration(Path folder) {
        this.folder = folder;
    }

    private static String fresh() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    Path file() {
        return folder.resolve("prometheus.yml");
    }

    Path webFile() {
        return folder.resolve("web.yml");
    }

    Path log() {
        return folder.resolve("prometheus.log");
    }

    String token() {
        return token;
    }

    String authorization() {
        return OwnPrometheus.basic(NAME, password);
    }

    void write(URI gateway) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(folder.resolve("scrape.token"), token);
        try (InputStream rules = Objects.requireNonNull(
                Configuration.class.getResourceAsStream("/io/sluice/telemetry/prometheus/rules.yml"))) {
            Files.copy(rules, folder.resolve("rules.yml"), StandardCopyOption.REPLACE_EXISTING);
        }
        // JSON is YAML, and quotes whatever a folder is called
        Files.writeString(file(), json(prometheus(gateway)));
        byte[] salt = new byte[16];
        new SecureRandom().nextBytes(salt);
        String hash = OpenBSDBCrypt.generate("2y", password.toCharArray(), salt, COST);
        Files.writeString(webFile(), json(Map.of("basic_auth_users", Map.of(NAME, hash))));
    }

    private Map<String, Object> prometheus(URI gateway) {
        return Map.of(
                "global", Map.of("scrape_interval", "15s", "evaluation_interval", "30s"),
                "rule_files", List.of(folder.resolve("rules.yml").toString()),
                "scrape_configs",
                        List.of(Map.of(
                                "job_name", "sluice",
                                "scheme", gateway.getScheme(),
                                "sample_limit", 500_000,
                                "body_size_limit", "200MB",
                                // it is this machine that is asked
                                "tls_config", Map.of("insecure_skip_verify", true),
                                "authorization",
                                        Map.of(
                                                "credentials_file",
                                                folder.resolve("scrape.token").toString()),
                                "static_configs", List.of(Map.of("targets", List.of(gateway.getAuthority()))))));
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map can not be written", e);
        }
    }

    /** What it said before it ended. */
    String lastWords() {
        try {
            String said = Files.readString(log(), StandardCharsets.ISO_8859_1).strip();
            return said.substring(Math.max(0, said.length() - LAST_WORDS)).replace('\n', ' ');
        } catch (IOException e) {
            return "nothing that can be read (" + e.getMessage() + ")";
        }
    }
}
