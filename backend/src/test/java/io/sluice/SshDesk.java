package io.sluice;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** OpenSSH's own client, with keys that it has made, on its way into tasks. */
final class SshDesk {
    private static final int LIMIT_SECONDS = 120;

    private final Path folder;
    private final int port;

    /** @param folder for keys, and for the client's memory of hosts */
    SshDesk(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    int port() {
        return port;
    }

    /** What a client has said, and how it ended. */
    @SuppressWarnings("ArrayRecordComponent")
    record Ended(int code, byte[] output, String errors) {
        String text() {
            return new String(output, StandardCharsets.UTF_8);
        }
    }

    /** Where a new key is; beside it the public one. */
    Path key(String name, String... kind) {
        Path key = folder.resolve("key-" + name);
        if (!Files.exists(key)) {
            List<String> words = new ArrayList<>(List.of("ssh-keygen", "-q", "-N", "", "-f", key.toString()));
            words.addAll(kind.length == 0 ? List.of("-t", "ed25519") : List.of(kind));
            Ended made = run(words, null);
            if (made.code() != 0) {
                throw new AssertionError(made.errors());
            }
        }
        return key;
    }

    static String line(Path key) throws IOException {
        return Files.readString(Path.of(key + ".pub")).strip();
    }

    /** Puts the key into a profile, in the place of all others there. */
    void give(DoorDesk.Somebody who, Path... keys) throws IOException {
        List<Map<String, String>> list = new ArrayList<>();
        for (Path key : keys) {
            list.add(Map.of("title", key.getFileName().toString(), "value", line(key)));
        }
        var body = Map.of("data", Map.of("username", who.name(), "extension", Map.of("sshKeys", list)), "patch", true);
        var answer = who.call("PUT", "/api/v2/users/me", DoorDesk.JSON.writeValueAsString(body));
        if (answer.statusCode() != 201 && answer.statusCode() != 200) {
            throw new AssertionError(answer.statusCode() + answer.body());
        }
    }

    List<String> options(Path key) {
        return List.of(
                "-F",
                "none",
                "-i",
                key.toString(),
                "-o",
                "IdentitiesOnly=yes",
                "-o",
                "BatchMode=yes",
                "-o",
                "StrictHostKeyChecking=accept-new",
                "-o",
                "UserKnownHostsFile=" + folder.resolve("known"),
                "-o",
                "LogLevel=ERROR");
    }

    List<String> words(String program, Path key, String... rest) {
        List<String> words = new ArrayList<>(List.of(program));
        words.addAll(options(key));
        words.addAll(List.of(program.equals("ssh") ? "-p" : "-P", Integer.toString(port)));
        words.addAll(List.of(rest));
        return words;
    }

    Ended ssh(Path key, String... rest) {
        return run(words("ssh", key, rest), null);
    }

    Ended ssh(Path key, @Nullable Path input, String... rest) {
        return run(words("ssh", key, rest), input);
    }

    Ended sftp(Path key, String user, String batch) throws IOException {
        Path script = Files.writeString(folder.resolve("batch"), batch);
        return run(words("sftp", key, "-q", "-b", script.toString(), user + "@127.0.0.1"), null);
    }

    Ended scp(Path key, String... rest) {
        return run(words("scp", key, rest), null);
    }

    Process start(Path key, String... rest) {
        try {
            return new ProcessBuilder(words("ssh", key, rest)).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Ended run(List<String> words, @Nullable Path input) {
        try {
            var builder = new ProcessBuilder(words).directory(folder.toFile());
            builder.environment().put("LC_ALL", "C.UTF-8");
            builder.redirectInput(
                    input == null
                            ? ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile())
                            : ProcessBuilder.Redirect.from(input.toFile()));
            return ended(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Ended ended(Process process) {
        var output = new ByteArrayOutputStream();
        var errors = new ByteArrayOutputStream();
        Thread first = Thread.ofVirtual().start(() -> copy(process.getInputStream(), output));
        Thread second = Thread.ofVirtual().start(() -> copy(process.getErrorStream(), errors));
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("it does not end: " + process.info().commandLine());
            }
            first.join();
            second.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return new Ended(process.exitValue(), output.toByteArray(), errors.toString(StandardCharsets.UTF_8));
    }

    private static void copy(InputStream from, OutputStream to) {
        try (from) {
            from.transferTo(to);
        } catch (IOException closed) {
            // it was ended by force: what has come counts
        }
    }
}
