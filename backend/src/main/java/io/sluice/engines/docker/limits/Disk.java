package io.sluice.engines.docker.limits;

import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Info;
import java.util.Map;
import java.util.Set;

/** What a task may write beside its folders, where the engine's storage can keep it to that. */
public final class Disk {
    private static final Set<String> ABLE = Set.of("overlay2", "btrfs", "zfs", "vfs", "devicemapper");
    private static final int MEBIBYTE = 20;

    private final long bytes;
    private volatile boolean refused;

    /** @param bytes 0 = as much as there is */
    public Disk(long bytes) {
        this.bytes = bytes;
    }

    private boolean isLimited(Info info) {
        return bytes > 0 && !refused && ABLE.contains(String.valueOf(info.getDriver()));
    }

    void give(Info info, HostConfig host) {
        if (isLimited(info)) {
            host.withStorageOpt(Map.of("size", "" + bytes));
        }
    }

    /** Whether that is why a container could not be made; then it is made without. */
    public boolean isRefused(String said) {
        boolean now = !refused && said.contains("storage-opt");
        refused |= now;
        return now;
    }

    /** The engine may have another storage by now. */
    public void tryAgain() {
        refused = false;
    }

    /** One line for the user; empty where nobody asked for a limit. */
    public String note(Info info) {
        if (bytes == 0) {
            return "";
        }
        return isLimited(info)
                ? "; " + (bytes >> MEBIBYTE) + " MiB of disk each, beside its folders"
                : "; disk is not limited: this engine's storage (" + info.getDriver()
                        + ") can not, overlay2 on xfs with pquota can";
    }
}
