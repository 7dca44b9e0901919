package io.sluice.database;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The folder in which one gateway, and only one, keeps what is its own. */
public final class DataFolder implements Closeable {

    static final FileAttribute<?> OWNERS_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final String LOCK = "lock";

    private final Path path;
    private final FileChannel channel;

    private DataFolder(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Makes the folder if need be and holds it until {@link #close} or the end of the process.
     *
     * @throws Unusable one line that says what to do
     */
    public static DataFolder open(Path folder) {
        var path = folder.toAbsolutePath().normalize();
        try {
            make(path);
            return hold(path);
        } catch (IOException e) {
            throw explain(path, e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void make(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            Files.createDirectories(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    private static DataFolder hold(Path path) throws IOException {
        var channel = FileChannel.open(
                path.resolve(LOCK),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                OWNERS_FILE);
        try {
            if (lock(channel) == null) {
                throw new Unusable(
                        "Another gateway (process %s) uses the data folder %s; stop it, or start this one with another --data."
                                .formatted(holder(channel), path),
                        null);
            }
            var pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
            channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
            return new DataFolder(path, channel);
        } catch (IOException | Unusable e) {
            channel.close();
            throw e;
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        var pid = ByteBuffer.allocate(20);
        channel.read(pid, 0);
        var text = new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII);
        return text.isBlank() ? "unknown" : text;
    }

    /** Removes a folder with all that is in it, if it is there. Others may be removing the same, or files of their own, meanwhile. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                return goneOnly(e);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path emptied, @Nullable IOException e) throws IOException {
                Files.deleteIfExists(emptied);
                return goneOnly(e);
            }
        });
    }

    private static FileVisitResult goneOnly(@Nullable IOException e) throws IOException {
        if (e != null && !(e instanceof NoSuchFileException)) {
            throw e;
        }
        return FileVisitResult.CONTINUE;
    }

    /** What the operating system said, without the path that {@link FileSystemException} puts before it. */
    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "no permission";
        }
        return e instanceof FileSystemException known && known.getReason() != null
                ? known.getReason()
                : String.valueOf(e.getMessage());
    }

    private static Unusable explain(Path path, IOException e) {
        return new Unusable(
                "The data folder %s can not be written (%s); make room or give this user the right to write there, or start with another --data."
                        .formatted(path, reason(e)),
                e);
    }

    /** The folder is in use or can not be written; the message is one line. */
    public static final class Unusable extends RuntimeException {

        Unusable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
