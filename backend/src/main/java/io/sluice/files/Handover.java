package io.sluice.files;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives a folder to somebody, with what it holds of its owner's. A task may be at work in it: each folder is opened beneath the one that is
 * open, and never by way of a link, so that what is swapped meanwhile leads nowhere else. A link itself stays as it is: whose it is does
 * not matter.
 */
final class Handover {
    private static final System.Logger LOG = System.getLogger(Handover.class.getName());
    /** Each takes a file that is open. */
    private static final int DEEPEST = 200;

    private final UserPrincipal from;
    private final UserPrincipal to;
    private final GroupPrincipal group;

    private Handover(UserPrincipal from, UserPrincipal to, GroupPrincipal group) {
        this.from = from;
        this.to = to;
        this.group = group;
    }

    static void give(Path folder, int number) throws IOException {
        var known = folder.getFileSystem().getUserPrincipalLookupService();
        var to = known.lookupPrincipalByName("" + number);
        var group = known.lookupPrincipalByGroupName("" + number);
        try (var stream = Files.newDirectoryStream(Objects.requireNonNull(folder.getParent()))) {
            if (!(stream instanceof SecureDirectoryStream<Path> above)) {
                throw new IOException("This system opens no folder beneath another: no home can be given away.");
            }
            var name = Objects.requireNonNull(folder.getFileName());
            var from = view(above, name).readAttributes().owner();
            new Handover(from, to, group).folder(above, name, 0);
        }
    }

    private static PosixFileAttributeView view(SecureDirectoryStream<Path> above, @Nullable Path name) {
        return Objects.requireNonNull(
                name == null
                        ? above.getFileAttributeView(PosixFileAttributeView.class)
                        : above.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
    }

    /** What it holds first, so that one that was interrupted is done again. */
    private void folder(SecureDirectoryStream<Path> above, Path name, int depth) throws IOException {
        if (depth > DEEPEST) {
            LOG.log(Level.WARNING, "home=deep folder={0} levels={1}", name, DEEPEST);
            return;
        }
        try (var open = above.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (var entry : open) {
                entry(open, Objects.requireNonNull(entry.getFileName()), depth);
            }
            hand(view(open, null));
        }
    }

    private void entry(SecureDirectoryStream<Path> above, Path name, int depth) throws IOException {
        boolean folder = false;
        try {
            var found = view(above, name).readAttributes();
            folder = found.isDirectory();
            if (folder) {
                folder(above, name, depth + 1);
            } else if (found.isRegularFile()) {
                hand(view(above, name));
            }
        } catch (NoSuchFileException removed) {
            LOG.log(Level.DEBUG, "home=changed removed={0}", name);
        } catch (FileSystemException fault) {
            if (isStill(above, name, folder)) {
                throw fault;
            }
            LOG.log(Level.DEBUG, "home=changed swapped={0}", name);
        }
    }

    private static boolean isStill(SecureDirectoryStream<Path> above, Path name, boolean folder) throws IOException {
        try {
            var now = view(above, name).readAttributes();
            return folder ? now.isDirectory() : now.isRegularFile();
        } catch (NoSuchFileException removed) {
            return false;
        }
    }

    private void hand(PosixFileAttributeView view) throws IOException {
        if (view.readAttributes().owner().equals(from)) {
            view.setGroup(group);
            view.setOwner(to);
        }
    }
}
