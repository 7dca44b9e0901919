package io.sluice.engines.docker.images;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.api.model.PullResponseItem;
import io.sluice.engines.Started.Preparing;
import io.sluice.engines.Task;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One image on its way, for as long as somebody asks for it. */
final class Pull extends ResultCallback.Adapter<PullResponseItem> {

    private static final Logger log = System.getLogger(Pull.class.getName());

    private final Daemon daemon;
    private final ImageName name;
    private final Task.Image image;
    private final String owner;
    private final boolean inDoubt;
    private final Instant since = Instant.now();
    private final Map<String, long[]> layers = new HashMap<>();
    private final Set<String> done = new HashSet<>();
    private volatile Instant asked = Instant.now();
    private volatile Instant heard = Instant.now();
    private volatile @Nullable Instant begun;
    private volatile boolean over;
    private volatile @Nullable String failure;

    /**
     * @param owner who was the first to ask for it
     * @param inDoubt whether it is not known yet if its repository takes a password
     */
    Pull(Daemon daemon, ImageName name, Task.Image image, String owner, boolean inDoubt) {
        this.owner = owner;
        this.inDoubt = inDoubt;
        this.daemon = daemon;
        this.name = name;
        this.image = image;
    }

    void begin() {
        heard = Instant.now();
        begun = heard;
        var command = daemon.client().pullImageCmd(name.full());
        if (image.user() != null) {
            command.withAuthConfig(new AuthConfig()
                    .withUsername(image.user())
                    .withPassword(image.password())
                    .withRegistryAddress(
                            name.registry().equals(ImageName.HUB)
                                    ? AuthConfig.DEFAULT_SERVER_ADDRESS
                                    : name.registry()));
        }
        command.exec(this);
    }

    String owner() {
        return owner;
    }

    boolean isInDoubt() {
        return inDoubt;
    }

    Instant since() {
        return since;
    }

    ImageName name() {
        return name;
    }

    Task.Image image() {
        return image;
    }

    void asked() {
        asked = Instant.now();
    }

    boolean wasAskedBefore(Instant moment) {
        return asked.isBefore(moment);
    }

    boolean wasSilentSince(Instant moment) {
        return heard.isBefore(moment);
    }

    boolean hasRunSince(Instant moment) {
        var began = begun;
        return began != null && began.isBefore(moment);
    }

    boolean isNew() {
        return begun == null;
    }

    boolean runs() {
        return begun != null && !over;
    }

    boolean isOver() {
        return over;
    }

    @Nullable
    String failure() {
        return failure;
    }

    void cancel() {
        try {
            close();
        } catch (IOException e) {
            log.log(Level.DEBUG, "image={0} pull=cancelled cause=\"{1}\"", name.full(), e.getMessage());
        }
    }

    @Override
    public synchronized void onNext(PullResponseItem item) {
        heard = Instant.now();
        var fault = item.getErrorDetail();
        if (fault != null && fault.getMessage() != null) {
            failure = fault.getMessage().replaceAll("\\s+", " ");
        }
        var id = item.getId();
        if (id == null) {
            return;
        }
        var far = item.getProgressDetail();
        if (far != null && far.getTotal() != null && far.getCurrent() != null) {
            if ("Downloading".equals(item.getStatus())) {
                layers.put(id, new long[] {far.getCurrent(), far.getTotal()});
            }
        }
        if ("Download complete".equals(item.getStatus()) || "Pull complete".equals(item.getStatus())) {
            done.add(id);
        }
    }

    @Override
    public void onError(Throwable fault) {
        if (failure == null) {
            failure = fault instanceof DockerException said ? Daemon.said(said) : String.valueOf(fault.getMessage());
        }
        over = true;
        cancel();
    }

    @Override
    public void onComplete() {
        over = true;
        super.onComplete();
    }

    synchronized long bytes() {
        return layers.entrySet().stream()
                .mapToLong(layer -> done.contains(layer.getKey()) ? layer.getValue()[1] : layer.getValue()[0])
                .sum();
    }

    /** Of the layers whose size the registry has told so far. */
    synchronized Preparing progress() {
        if (begun == null) {
            return new Preparing(name.full(), null, "The image " + name.full() + " is fetched after others.");
        }
        long all = layers.values().stream().mapToLong(layer -> layer[1]).sum();
        if (all == 0) {
            return new Preparing(name.full(), null, "The image " + name.full() + " is being fetched.");
        }
        long here = bytes();
        var far = 100 * here / all + " % · " + mebibytes(here) + " / " + mebibytes(all) + " MiB";
        return new Preparing(name.full(), far, "The image " + name.full() + " is being fetched: " + far);
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }
}
