package io.sluice.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Under which user PostgreSQL runs: it refuses to be root, so for root there is a way around.
 *
 * @param prefix what to put before its commands
 * @param uid to whom its files must belong, or -1 to leave them as they are
 */
record Account(List<String> prefix, int uid) {

    /** In a user namespace without a map nobody is root, and files stay those of root outside. */
    static final Account UNMAPPED = new Account(List.of("unshare", "-U"), -1);

    static final Account PLAIN = new Account(List.of(), -1);
    static final Account NOBODY = other(65534);

    private static Account other(int uid) {
        return new Account(
                List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups", "--no-new-privs"), uid);
    }

    static Account of(Path data, Path cluster) throws IOException {
        if (!"root".equals(System.getProperty("user.name"))) {
            return PLAIN;
        }
        return Files.exists(cluster) ? owner(cluster) : firstThatWorks(data);
    }

    private static Account owner(Path cluster) throws IOException {
        int uid = (Integer) Files.getAttribute(cluster, "unix:uid");
        return uid == 0 ? UNMAPPED : other(uid);
    }

    private static Account firstThatWorks(Path data) throws IOException {
        if (UNMAPPED.runs("true")) {
            return UNMAPPED;
        }
        if (!NOBODY.runs("true")) {
            throw new Database.Unavailable(
                    "PostgreSQL does not run as root, and neither unshare nor setpriv can give it another user here; start Sluice as an ordinary user, or name a PostgreSQL with --db.");
        }
        return NOBODY.able(data);
    }

    /** The data folder is closed to others; PostgreSQL's user must be let through to its own part. */
    Account able(Path data) throws IOException {
        Files.setAttribute(data, "unix:mode", 0711);
        if (!runs("test", "-x", data.toString())) {
            throw new Database.Unavailable(
                    "PostgreSQL does not run as root, and the user nobody can not reach %s; start with --data in a folder such as /var/lib/sluice, start as an ordinary user, or name a PostgreSQL with --db."
                            .formatted(data));
        }
        return this;
    }

    void own(Path folder) throws IOException {
        if (uid >= 0) {
            try (var files = Files.walk(folder)) {
                for (var file : (Iterable<Path>) files::iterator) {
                    Files.setAttribute(file, "unix:uid", uid);
                    Files.setAttribute(file, "unix:gid", uid);
                }
            }
        }
    }

    /** A command that knows nothing of our environment and waits for no input. */
    ProcessBuilder command(List<String> command) {
        var whole = new ProcessBuilder(
                Stream.concat(prefix.stream(), command.stream()).toList());
        var path = whole.environment().getOrDefault("PATH", "/usr/bin:/bin");
        whole.environment().clear();
        whole.environment().put("PATH", path + ":/usr/sbin:/sbin");
        whole.environment().put("LC_ALL", "C");
        return whole.redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile());
    }

    private boolean runs(String... command) throws IOException {
        try {
            var process = command(new ArrayList<>(List.of(command)))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (IOException e) {
            // the program itself is missing
            return false;
        }
    }
}
