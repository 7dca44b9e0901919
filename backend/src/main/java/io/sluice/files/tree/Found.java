package io.sluice.files.tree;

import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;

/**
 * What is known of something in a tree.
 *
 * @param changed in milliseconds since 1970
 * @param links how many names it has
 */
public record Found(
        Kind kind, long size, long changed, long status, int mode, int owner, int links, long device, long number) {
    static final String WANTED = "unix:size,lastModifiedTime,ctime,mode,uid,nlink,dev,ino";

    /** What it is. What is OTHER is never opened: a pipe, a socket or a device would make whoever does wait, or worse. */
    public enum Kind {
        FOLDER,
        FILE,
        LINK,
        OTHER
    }

    static Found of(Map<String, Object> read) {
        int mode = told(read, "mode", Integer.class);
        return new Found(
                kind(mode),
                told(read, "size", Long.class),
                told(read, "lastModifiedTime", FileTime.class).toMillis(),
                told(read, "ctime", FileTime.class).to(java.util.concurrent.TimeUnit.NANOSECONDS),
                mode & 07777,
                told(read, "uid", Integer.class),
                told(read, "nlink", Integer.class),
                told(read, "dev", Long.class),
                told(read, "ino", Long.class));
    }

    static Kind kind(int mode) {
        return switch (mode & 0170000) {
            case 0040000 -> Kind.FOLDER;
            case 0100000 -> Kind.FILE;
            case 0120000 -> Kind.LINK;
            default -> Kind.OTHER;
        };
    }

    /** What was asked for, the system tells. */
    static <T> T told(Map<String, Object> read, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(read.get(name), name));
    }

    public boolean isFolder() {
        return kind == Kind.FOLDER;
    }

    public boolean isFile() {
        return kind == Kind.FILE;
    }

    /** Another one of the same name has another; so has what was written since. */
    public String version() {
        return Long.toHexString(number) + "-" + Long.toHexString(size) + "-" + Long.toHexString(status);
    }
}
