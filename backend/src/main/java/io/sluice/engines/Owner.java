package io.sluice.engines;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whom a task runs as: the owner of its home, or without one of the folder of its output.
 *
 * @param name as the home is called, which may be empty
 */
public record Owner(int id, int group, String name) {
    private static final String HOME = "/userhome";

    public static Owner of(Task task) throws IOException {
        var home = task.mounts().stream()
                .filter(mount -> mount.target().equals(HOME))
                .map(Task.Mount::source)
                .findFirst();
        var name = home.map(Path::getFileName).map(Path::toString).orElse("");
        var owned = home.orElse(task.output().toAbsolutePath().getParent());
        return new Owner(
                (Integer) Files.getAttribute(owned, "unix:uid"), (Integer) Files.getAttribute(owned, "unix:gid"), name);
    }

    /** Who alone can give folders away, and become somebody else. */
    public static boolean isGatewayRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException e) {
            return false;
        }
    }

    public boolean isRoot() {
        return id == 0;
    }

    /** As programs are told it. */
    @Override
    public String toString() {
        return id + ":" + group;
    }

    /**
     * Whom a system knows by name. Without a line for the owner ssh, git and many a library refuse to work.
     *
     * @param users what it has as {@code /etc/passwd}
     * @param groups what it has as {@code /etc/group}
     */
    public record Accounts(String users, String groups) {
        private static final Pattern USUAL = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,31}");
        private static final String ELSE = "sluice";
        private static final int NAME = 0;
        private static final int NUMBER = 2;

        /** The name that it has for the user. */
        public Optional<String> name(Owner owner) {
            return entries(users)
                    .filter(fields -> fields[NUMBER].equals("" + owner.id()))
                    .map(fields -> fields[NAME])
                    .filter(name -> USUAL.matcher(name).matches())
                    .findFirst();
        }

        /** How the owner is called in it: by the name that it has, else by the own one, if nobody in it is called that. */
        public String called(Owner owner) {
            return name(owner).orElseGet(() -> free(users, owner.name()));
        }

        private static String free(String file, String own) {
            boolean taken = entries(file).anyMatch(fields -> fields[NAME].equals(own));
            return !taken && USUAL.matcher(own).matches() ? own : ELSE;
        }

        /** With a line for the owner. */
        public String users(Owner owner, String shell) {
            return lines(users) + free(users, owner.name()) + ":x:" + owner.id() + ":" + owner.group() + "::/userhome:"
                    + shell + "\n";
        }

        /** With a line for the owner's group, unless it is in it. */
        public String groups(Owner owner) {
            boolean known = entries(groups).anyMatch(fields -> fields[NUMBER].equals("" + owner.group()));
            return known ? lines(groups) : lines(groups) + free(groups, owner.name()) + ":x:" + owner.group() + ":\n";
        }

        private static String lines(String file) {
            return file.isEmpty() || file.endsWith("\n") ? file : file + "\n";
        }

        private static Stream<String[]> entries(String file) {
            return file.lines().map(line -> line.split(":")).filter(fields -> fields.length > NUMBER);
        }
    }
}
