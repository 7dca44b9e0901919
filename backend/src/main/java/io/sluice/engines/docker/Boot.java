package io.sluice.engines.docker;

import com.github.dockerjava.api.exception.NotFoundException;
import io.sluice.engines.Exports;
import io.sluice.engines.Owner;
import io.sluice.engines.Owner.Accounts;
import io.sluice.engines.docker.networks.Networks;
import io.sluice.engines.docker.wire.Daemon;
import io.sluice.engines.docker.wire.Tar;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Gives a container its task's script, with what begins it: that has the output written where it belongs, and runs once. */
final class Boot {

    static final String FOLDER = "/.sluice";
    static final String BEGIN = FOLDER + "/begin";
    static final String OUTPUT = FOLDER + "/output";
    static final int RAN_ALREADY = 120;
    static final String BEGUN = FOLDER + "/begun";
    static final String APT = FOLDER + "/apt";
    private static final String TASK = FOLDER + "/task";
    private static final String ENVIRONMENT = FOLDER + "/environment";
    static final String HOSTS = "/etc/hosts";
    private static final String PASSWD = "/etc/passwd";
    private static final String GROUP = "/etc/group";
    private static final String HOSTS_FILE = "hosts";
    private static final String USERS = "users";
    private static final String GROUPS = "groups";
    private static final List<String> SHELLS = List.of("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh");
    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final int IMAGES_KEPT = 200;
    private static final int LONGEST_ACCOUNTS = 64 * 1024;
    private static final String TO_RUN = "r-xr-xr-x";
    private static final String TO_READ = "r--r--r--";
    private static final String TO_WRITE = "rw-r--r--";
    private static final int TEXT = 0644;

    private final Daemon daemon;
    private final Path runs;
    private final boolean asRoot;
    private final Map<String, Image> images = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Image> eldest) {
            return size() > IMAGES_KEPT;
        }
    };

    /** What an image has. */
    private record Image(@Nullable String shell, Accounts accounts) {
        boolean knows(Owner owner) {
            return accounts.name(owner).isPresent();
        }
    }

    /** @param runs in which each run has a folder that its container sees, to read */
    Boot(Daemon daemon, Path runs, boolean asRoot) throws IOException {
        this.daemon = daemon;
        this.runs = Files.createDirectories(runs);
        this.asRoot = asRoot;
        Files.setPosixFilePermissions(runs, PosixFilePermissions.fromString("rwx------"));
    }

    /**
     * What is there before a run's container is made; the folder comes back. What has begun stays so.
     *
     * @param made whether the container is there already
     */
    Path prepare(String run, Owner owner, String image, boolean made) throws IOException {
        var folder = Files.createDirectories(runs.resolve(run));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        write(folder, last(OUTPUT), "", TO_READ); // the log is put over it
        write(folder, last(APT), "APT::Sandbox::User \"root\";\n", TO_READ);
        var begun = folder.resolve(last(BEGUN));
        if (!Files.exists(begun)) {
            Policy.prepareOutput(begun, owner, asRoot);
        }
        if (!made) {
            name(folder, owner, image);
        }
        return folder;
    }

    /** To copy them into a container takes the engine 50 ms: of an image that is known by now they are bound into it. */
    private void name(Path folder, Owner owner, String image) throws IOException {
        Image known;
        synchronized (images) {
            known = images.get(image);
        }
        Files.deleteIfExists(folder.resolve(USERS));
        Files.deleteIfExists(folder.resolve(GROUPS));
        if (known != null && known.shell() != null && !known.knows(owner)) {
            var accounts = known.accounts();
            write(folder, GROUPS, accounts.groups(owner), TO_READ);
            write(folder, USERS, accounts.users(owner, known.shell()), TO_READ);
        }
    }

    /** What tells a container who its user is, where its image does not: the files, by where they belong. */
    static Map<String, Path> names(Path folder) {
        var users = folder.resolve(USERS);
        return Files.exists(users) ? Map.of(PASSWD, users, GROUP, folder.resolve(GROUPS)) : Map.of();
    }

    /** The file with these variables, for shells that do not have them. */
    static Path environment(Path folder, Map<String, String> variables) throws IOException {
        write(folder, last(ENVIRONMENT), Exports.forAll(variables), TO_READ);
        return folder.resolve(last(ENVIRONMENT));
    }

    /** The file that tells a task who it is in a namespace that was made for nobody; root in the task may write more into it. */
    static Path hosts(Path folder, String address, String name) throws IOException {
        var text = """
                127.0.0.1\tlocalhost
                ::1\tlocalhost ip6-localhost ip6-loopback
                %s\t%s %s
                """.formatted(address, name, Networks.HOST);
        write(folder, HOSTS_FILE, text, TO_WRITE);
        return folder.resolve(HOSTS_FILE);
    }

    /** Whole or not at all: it may be running, of a start that was on its way for long. */
    private static void write(Path folder, String name, String text, String mode) throws IOException {
        var draft = Files.writeString(folder.resolve(".new-" + UUID.randomUUID()), text);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString(mode));
        Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String last(String name) {
        return name.substring(FOLDER.length() + 1);
    }

    void forget(String run) throws IOException {
        var folder = runs.resolve(run);
        if (!run.isEmpty() && Files.isDirectory(folder)) {
            for (var file : files(folder)) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        }
    }

    /** Takes away what is left of runs that are none any more. */
    void sweep(Set<String> left) throws IOException {
        for (var folder : files(runs)) {
            boolean old = Files.exists(folder)
                    && Files.getLastModifiedTime(folder)
                            .toInstant()
                            .isBefore(Instant.now().minus(GRACE));
            if (old && !left.contains("" + folder.getFileName())) {
                forget("" + folder.getFileName());
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.toList();
        }
    }

    /**
     * @param own what must not be seen before the container's set-up is over
     * @return false when the image has no shell
     */
    boolean fill(String run, String container, String image, String script, Owner owner, Map<String, String> own)
            throws IOException {
        var known = known(container, image);
        var shell = known.shell();
        if (shell == null) {
            return false;
        }
        var folder = runs.resolve(run);
        write(folder, last(BEGIN), begin(shell, known.accounts().called(owner), own), TO_RUN);
        write(folder, last(TASK), script, TO_RUN);
        if (!known.knows(owner) && names(folder).isEmpty()) {
            put(container, known.accounts(), owner, shell);
        }
        return true;
    }

    private void put(String container, Accounts accounts, Owner owner, String shell) {
        var tar = new Tar();
        tar.file(PASSWD, TEXT, accounts.users(owner, shell).getBytes(StandardCharsets.UTF_8));
        tar.file(GROUP, TEXT, accounts.groups(owner).getBytes(StandardCharsets.UTF_8));
        var bytes = tar.bytes();
        daemon.ask(
                "fill",
                Daemon.LONG,
                client -> client.copyArchiveToContainerCmd(container)
                        .withRemotePath("/")
                        .withTarInputStream(new ByteArrayInputStream(bytes))
                        .exec());
    }

    private static String begin(String shell, String name, Map<String, String> own) {
        var exports = new StringBuilder();
        own.forEach((variable, value) -> exports.append("export ")
                .append(variable)
                .append("='")
                .append(value.replace("'", "'\\''"))
                .append("'\n"));
        return """
                #!%1$s
                # a container that is started again runs nothing again
                [ -w %2$s ] && [ ! -s %2$s ] || exit %3$d
                exec >>%4$s 2>&1 || exit 125
                # taking a right away needs no room on any disk; and a script that writes to /dev/stdout opens the file again,
                # and would cut off what is in it: now it can not
                chmod 400 %2$s %4$s 2>/dev/null || echo begun > %2$s || exit 125
                unset TINI_KILL_PROCESS_GROUP LD_PRELOAD LD_AUDIT
                : "${SHELL:=%1$s}" "${USER:=%5$s}" "${LOGNAME:=%5$s}" "${LANG:=C.UTF-8}"
                export SHELL USER LOGNAME LANG
                %6$sexec %1$s %7$s
                """.formatted(shell, BEGUN, RAN_ALREADY, OUTPUT, name, exports, TASK);
    }

    private Image known(String container, String image) {
        synchronized (images) {
            var known = images.get(image);
            if (known != null) {
                return known;
            }
        }
        var shell = SHELLS.stream()
                .filter(path -> read(container, path, 0).isPresent())
                .findFirst()
                .orElse(null);
        var found = new Image(shell, new Accounts(text(container, PASSWD), text(container, GROUP)));
        synchronized (images) {
            images.put(image, found);
        }
        return found;
    }

    private String text(String container, String path) {
        return new String(read(container, path, LONGEST_ACCOUNTS).orElse(new byte[0]), StandardCharsets.UTF_8);
    }

    /** The beginning of a file of the container; empty where there is none. */
    private Optional<byte[]> read(String container, String path, int most) {
        try {
            return Optional.of(daemon.ask("look", Daemon.SHORT, client -> {
                try (var tar =
                        client.copyArchiveFromContainerCmd(container, path).exec()) {
                    return most == 0 ? new byte[0] : Tar.first(tar, most);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }));
        } catch (NotFoundException e) {
            return Optional.empty();
        }
    }
}
