package io.sluice.files.tree;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * As whom a tree is read and written.
 *
 * @param user -1: as the gateway itself, who can be nobody else
 */
public record Owner(int user, int group) {
    public static final Owner GATEWAY = new Owner(-1, -1);

    /** What waits for the disk, and loads no class of ours: whoever it runs as may not be allowed to read them. */
    @FunctionalInterface
    interface Step<T> {
        T take() throws IOException;
    }

    /** Whom a folder belongs to. Who is not root acts as nobody else. */
    public static Owner of(Path folder) throws IOException {
        var of = Files.readAttributes(folder, "unix:uid,gid", LinkOption.NOFOLLOW_LINKS);
        boolean root = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        return root ? new Owner(Found.told(of, "uid", Integer.class), Found.told(of, "gid", Integer.class)) : GATEWAY;
    }

    /** Only on a platform thread that does nothing else: the rights are the thread's. */
    <T> T act(Step<T> step) throws IOException {
        if (user < 0) {
            return step.take();
        }
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("the rights of a virtual thread would be those of another");
        }
        try {
            Kernel.become(user, group);
            return step.take();
        } finally {
            Kernel.become(0, 0);
        }
    }
}
