package io.sluice.files;

import io.sluice.identity.numbers.Numbers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whose folders are whose. */
final class Homes {
    private static final System.Logger LOG = System.getLogger(Homes.class.getName());
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<Set<PosixFilePermission>> OWNED =
            PosixFilePermissions.asFileAttribute(OWNER_ONLY);
    private static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("rwxr-xr-x");
    /** As {@code /tmp} has it. */
    private static final int STICKY = 01777;

    private final Path homes;
    /** Where homes are that somebody who is no more has left behind. */
    private final Path left;

    private final @Nullable Numbers numbers;

    /** @param numbers null: everything is the gateway's */
    Homes(Path data, @Nullable Numbers numbers) {
        this.homes = data.resolve("homes");
        this.left = data.resolve("homes-left");
        this.numbers = numbers;
    }

    static boolean mayGiveAway() {
        try {
            return owner(Path.of("/proc/self")) == 0;
        } catch (IOException e) {
            return false;
        }
    }

    Path of(long user, String name) throws IOException {
        Path home = homes.resolve(name);
        if (numbers == null) {
            return Files.createDirectories(home, OWNED);
        }
        Files.createDirectories(homes, OWNED);
        int own = numbers.of(user).await();
        // a link that leads elsewhere is left alone, and no engine follows it
        if (!Files.isSymbolicLink(home) && !isOf(home, own)) {
            settle(home, own, name);
        }
        return home;
    }

    List<Path> all() throws IOException {
        if (!Files.isDirectory(homes)) {
            return List.of();
        }
        try (var all = Files.list(homes)) {
            return all.filter(home -> Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
    }

    private static boolean isOf(Path home, int number) throws IOException {
        return Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS) && owner(home) == number;
    }

    private void settle(Path home, int own, String name) throws IOException {
        if (Files.exists(home, LinkOption.NOFOLLOW_LINKS)) {
            int owner = owner(home);
            if (owner == owner(homes)) {
                Handover.give(home, own);
                return;
            }
            if (!Objects.requireNonNull(numbers).isGiven(owner).await()) {
                return; // an administrator has given it to somebody whom the machine knows
            }
            // who had this name before has been deleted, and their files are not for the next one
            Files.createDirectories(left, OWNED);
            Files.move(home, left.resolve(name + "." + owner), StandardCopyOption.ATOMIC_MOVE);
            LOG.log(System.Logger.Level.WARNING, "home={0} owner={1} moved={2}", name, owner, left);
        }
        Files.createDirectories(home, OWNED);
        Handover.give(home, own);
    }

    private static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    static Path closed(Path folder) throws IOException {
        return Files.createDirectories(folder, OWNED);
    }

    /** @param home whose owner gets it */
    static Path closed(Path folder, Path home) throws IOException {
        closed(folder);
        int owner = owner(home);
        if (owner(folder) != owner) {
            Handover.give(folder, owner);
        }
        return folder;
    }

    /** Made so that all may read; one that an administrator has closed otherwise stays as it is. */
    static Path readable(Path folder) throws IOException {
        Files.createDirectories(folder, OWNED);
        if (isOurs(folder)) {
            Files.setPosixFilePermissions(folder, READABLE);
        }
        return folder;
    }

    static Path writable(Path folder) throws IOException {
        Files.createDirectories(folder, OWNED);
        if (isOurs(folder)) {
            Files.setAttribute(folder, "unix:mode", STICKY);
        }
        return folder;
    }

    /** Any other mode is an administrator's choice. */
    private static boolean isOurs(Path folder) throws IOException {
        int mode = (Integer) Files.getAttribute(folder, "unix:mode") & 07777;
        return mode == 0700 || mode == 0755 || mode == STICKY;
    }
}
