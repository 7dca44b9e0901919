package io.sluice.files.tree;

import io.sluice.files.tree.Refused.Why;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** A folder that is open, and stays the one that it is wherever it is moved to. Each call waits for the disk, and names one thing in it. */
public final class Folder implements AutoCloseable {
    private static final FileAttribute<Set<PosixFilePermission>> FILES =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));
    private static final FileAttribute<Set<PosixFilePermission>> FOLDERS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
    private static final FileAttribute<Set<PosixFilePermission>> CLOSED =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final int number;
    private final Owner owner;
    /** Whether the tree belongs to who acts in it: in that of an administrator, what is linked is linked by them. */
    private final boolean theirs;
    /** Its number may be another's by then: of another person's folder, or of a connection. */
    private final AtomicBoolean closed = new AtomicBoolean();

    private Folder(int number, Owner owner, boolean theirs) {
        this.number = number;
        this.owner = owner;
        this.theirs = theirs;
    }

    /** Why no folder can be opened on this system; empty: they can. */
    public static String missing() {
        return Kernel.missing();
    }

    /** The root of a tree. The way to it is the gateway's own, and closed to whom it belongs to. */
    public static Folder open(Path root, Owner owner) throws IOException {
        int number = Kernel.root(Place.decoded(withoutEnd(root.toUri().getRawPath())));
        if (number < 0) {
            throw new Refused(Files.isSymbolicLink(root) ? Why.LINK : Why.MISSING, Place.name(root));
        }
        boolean theirs = owner.user() < 0 || owner.equals(Owner.of(root));
        return new Folder(number, owner, theirs);
    }

    private static String withoutEnd(String path) {
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    /** From here, name by name. */
    public Folder folder(Place place) throws IOException {
        Folder at = again();
        for (String name : place.names()) {
            try (Folder left = at) {
                at = left.folder(name);
            }
        }
        return at;
    }

    /** The same, and what is missing on the way is made. */
    public Folder made(Place place) throws IOException {
        Folder at = again();
        for (String name : place.names()) {
            try (Folder left = at) {
                at = left.made(name);
            }
        }
        return at;
    }

    private Folder made(String name) throws IOException {
        try {
            return folder(name);
        } catch (Refused missing) {
            if (missing.why() != Why.MISSING) {
                throw missing;
            }
            try {
                make(name);
            } catch (Refused refused) {
                if (refused.why() != Why.EXISTS) {
                    throw refused;
                }
            }
            return folder(name);
        }
    }

    private Folder again() throws IOException {
        int same = Kernel.folder(number(), ".");
        if (same < 0) {
            throw new Refused(Why.NOT_ALLOWED, "");
        }
        return new Folder(same, owner, theirs);
    }

    public Folder folder(String name) throws IOException {
        int found = reached(name, Kernel::folder);
        if (found < 0) {
            Found there = found(name);
            throw new Refused(
                    there.kind() == Found.Kind.LINK ? Why.LINK : there.isFolder() ? Why.NOT_ALLOWED : Why.NOT_A_FOLDER,
                    name);
        }
        return new Folder(found, owner, theirs);
    }

    /** A look at what has a name here; negative: it can not be opened. */
    @FunctionalInterface
    private interface Look {
        int at(int above, String name) throws IOException;
    }

    /** What was not there at the first look, and is when the reason is looked for, was made in between. */
    private int reached(String name, Look look) throws IOException {
        int above = number();
        int first = owner.act(() -> look.at(above, name));
        if (first >= 0) {
            return first;
        }
        found(name); // what is missing is told as that
        return owner.act(() -> look.at(above, name));
    }

    private Path path(String name) {
        return Place.path(self(), name);
    }

    private int number() {
        if (closed.get()) {
            throw new IllegalStateException("this folder has been closed");
        }
        return number;
    }

    private String self() {
        return "/proc/self/fd/" + number();
    }

    public Found found(String name) throws IOException {
        Path path = path(name);
        return Found.of(tried(name, () -> Files.readAttributes(path, Found.WANTED, LinkOption.NOFOLLOW_LINKS)));
    }

    /** Of the folder itself. */
    public Found found() throws IOException {
        return Found.of(Files.readAttributes(Path.of(self()), Found.WANTED));
    }

    public boolean has(String name) throws IOException {
        try {
            found(name);
            return true;
        } catch (Refused refused) {
            if (refused.why() == Why.MISSING) {
                return false;
            }
            throw refused;
        }
    }

    /** Only a file of its owner, or one that all may read: what is opened is what has been looked at. */
    public OpenFile read(String name) throws IOException {
        return opened(name, StandardOpenOption.READ);
    }

    /** Of files that are small, all that is in them. */
    public int gulp(List<String> names, Gulp gulp) throws IOException {
        int above = number();
        int only = theirs ? owner.user() : -1;
        return owner.act(() -> gulp.take(above, names, only));
    }

    /** To go on writing in what is there. */
    public OpenFile append(String name) throws IOException {
        return opened(name, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private OpenFile opened(String name, OpenOption... how) throws IOException {
        return file(name, (path, found) -> new OpenFile(tried(name, () -> FileChannel.open(path, how)), found));
    }

    /** Who may do what with a file, besides whom it belongs to becoming more than they are. */
    public void permit(String name, int mode) throws IOException {
        file(name, (path, found) -> tried(name, () -> Files.setAttribute(path, "unix:mode", mode & 0777)));
    }

    /** Who may do what with the folder itself. */
    public void permit(int mode) throws IOException {
        Path path = Path.of(self());
        tried("", () -> Files.setAttribute(path, "unix:mode", mode & 0777));
    }

    /** A file, and when it was changed last, in milliseconds since 1970. */
    public void finish(String name, int mode, long changed) throws IOException {
        file(
                name,
                (path, found) -> tried(name, () -> {
                    Files.setAttribute(path, "unix:mode", mode & 0777);
                    return Files.setLastModifiedTime(path, FileTime.fromMillis(changed));
                }));
    }

    /** A folder that its owner has locked, perhaps against themselves, is open to its owner. */
    public void unlock(String name) throws IOException {
        int above = number();
        int folder = owner.act(() -> Kernel.folder(above, name));
        if (folder < 0) {
            throw new Refused(Why.NOT_ALLOWED, name);
        }
        try {
            Path path = Path.of("/proc/self/fd/" + folder);
            tried(name, () -> Files.setAttribute(path, "unix:mode", 0700));
        } finally {
            Kernel.close(folder);
        }
    }

    /** What is done with just the file that has been looked at. */
    @FunctionalInterface
    private interface Use<T> {
        T use(Path path, Found found) throws IOException;
    }

    private <T> T file(String name, Use<T> use) throws IOException {
        int thing = reached(name, Kernel::thing);
        if (thing < 0) {
            throw new Refused(Why.NOT_ALLOWED, name);
        }
        try {
            Path path = Path.of("/proc/self/fd/" + thing);
            Found found = Found.of(Files.readAttributes(path, Found.WANTED));
            if (!found.isFile()) {
                throw new Refused(found.kind() == Found.Kind.LINK ? Why.LINK : Why.NOT_A_FILE, name);
            }
            if (theirs && found.links() > 1 && owner.user() >= 0 && found.owner() != owner.user()) {
                throw new Refused(Why.NOT_ALLOWED, name);
            }
            return use.use(path, found);
        } finally {
            Kernel.close(thing);
        }
    }

    /** A file that there was not. */
    public FileChannel create(String name) throws IOException {
        Path path = path(name);
        var how = Set.of(
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        return tried(name, () -> FileChannel.open(path, how, FILES));
    }

    public void make(String name) throws IOException {
        Path path = path(name);
        tried(name, () -> Files.createDirectory(path, FOLDERS));
    }

    /** For its owner alone to look into. */
    public void makeClosed(String name) throws IOException {
        Path path = path(name);
        tried(name, () -> Files.createDirectory(path, CLOSED));
    }

    /** A file, or a folder in which there is nothing. */
    public void remove(String name) throws IOException {
        Path path = path(name);
        tried(name, () -> {
            Files.delete(path);
            return path;
        });
    }

    /** What has the other name already keeps it. */
    public void move(String name, Folder to, String other) throws IOException {
        int above = number();
        int target = to.number();
        if (owner.act(() -> Kernel.rename(above, name, target, other))) {
            return;
        }
        if (to.has(other)) {
            throw new Refused(Why.EXISTS, other);
        }
        Path from = path(name);
        Path path = to.path(other);
        if (found(name).isFile()) {
            // NFS knows no rename that spares what is there, but never gives a name twice
            tried(other, () -> Files.createLink(path, from));
            remove(name);
        } else {
            tried(name, () -> Files.move(from, path, StandardCopyOption.ATOMIC_MOVE));
        }
    }

    /** What has the other name already goes for it, at one blow. */
    public void replace(String name, Folder to, String other) throws IOException {
        Path from = path(name);
        Path path = to.path(other);
        tried(name, () -> Files.move(from, path, StandardCopyOption.ATOMIC_MOVE));
    }

    /** Where a link leads to, as it stands in it. */
    public String target(String name) throws IOException {
        Path path = path(name);
        Path target = tried(name, () -> Files.readSymbolicLink(path));
        return target.toString();
    }

    public void link(String name, Folder from, String other) throws IOException {
        Path path = path(name);
        Path original = from.path(other);
        tried(name, () -> Files.createSymbolicLink(path, Files.readSymbolicLink(original)));
    }

    /** @param way where it leads to, in bytes */
    public void linkTo(String name, String way) throws IOException {
        Path path = path(name);
        Path leads = Place.way(way);
        tried(name, () -> Files.createSymbolicLink(path, leads));
    }

    /** A further name of a file. */
    public void twin(String name, Folder of, String other) throws IOException {
        Path path = path(name);
        Path original = of.path(other);
        tried(name, () -> Files.createLink(path, original));
    }

    /** Each has the other's name from now on, at one blow. False: this disk does not do that. */
    public boolean swap(String name, Folder with, String other) throws IOException {
        int above = number();
        int beside = with.number();
        return owner.act(() -> Kernel.swap(above, name, beside, other));
    }

    /** All that has been written on its disk is on it when it returns. */
    public void settleAll() throws IOException {
        int self = number();
        if (!owner.act(() -> Kernel.settle(self))) {
            throw new IOException("what was written could not be brought to the disk");
        }
    }

    /** It is somebody else's from now on; only root gives away. */
    public void give(Owner to) throws IOException {
        Path path = Path.of(self());
        Files.setAttribute(path, "unix:gid", to.group());
        Files.setAttribute(path, "unix:uid", to.user());
    }

    /** A new folder's names are on the disk when it returns. */
    public void settle() throws IOException {
        Path self = Path.of(self());
        owner.act(() -> {
            try (FileChannel itself = FileChannel.open(self, StandardOpenOption.READ)) {
                itself.force(true);
                return self;
            }
        });
    }

    /** Opened, to be read name by name. */
    @SuppressWarnings("StreamResourceLeak") // the names close it
    Names names() throws IOException {
        Path path = Path.of(self());
        return new Names(tried("", () -> Files.newDirectoryStream(path)));
    }

    private <T> T tried(String name, Owner.Step<T> step) throws IOException {
        try {
            return owner.act(step);
        } catch (FileSystemException e) {
            throw new Refused(Reasons.of(e), name);
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Kernel.close(number);
        }
    }
}
