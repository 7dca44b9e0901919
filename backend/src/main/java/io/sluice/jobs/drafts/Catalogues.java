package io.sluice.jobs.drafts;

import io.sluice.engines.Engine.Kept;
import io.sluice.files.datasets.Dataset;
import io.sluice.files.datasets.Datasets;
import io.sluice.jobs.drafts.JobText.Size;
import io.sluice.jobs.drafts.JobText.Transfer;
import io.sluice.jobs.images.Image;
import io.sluice.jobs.images.Images;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a job can take from the catalogues, as its user may see them. */
public record Catalogues(Datasets datasets, Images images) {
    /** As in the first example. */
    private static final String USUAL = "ubuntu:24.04";

    private static final Pattern SAVED = Pattern.compile(
            Pattern.quote(Kept.REGISTRY) + "/[a-z0-9-]{1,40}/[A-Za-z0-9._-]{1,128}(:[A-Za-z0-9._-]{1,128})?");

    public List<Route> routes() {
        return new PickRoutes(this).routes();
    }

    /**
     * A small job that looks at what was chosen.
     *
     * @param dataset number of one, null: none
     * @param image number of one, null: the usual one
     * @param tag of the image, null: its usual one
     */
    public Future<String> text(Caller caller, @Nullable String dataset, @Nullable String image, @Nullable String tag) {
        var data = dataset(caller, dataset);
        var reference = image(caller, image)
                .map(found -> found.map(one -> one.reference(tag(one, tag))).orElse(USUAL));
        return Future.all(data, reference)
                .compose(all -> data.result()
                        .map(one -> datasets.held(caller, one)
                                .map(held -> text(
                                        one,
                                        reference.result(),
                                        held != null && held.share().everywhere())))
                        .orElseGet(() -> Future.succeededFuture(inImage(reference.result()))));
    }

    /** A small job in an image that was saved of a task. */
    public String text(String saved) {
        if (!SAVED.matcher(saved).matches()) {
            throw Images.none(saved);
        }
        return inImage(saved);
    }

    /** Fails where there is none such, as far as the caller may know. */
    public Future<Optional<Dataset>> dataset(Caller caller, @Nullable String id) {
        return id == null
                ? Future.succeededFuture(Optional.empty())
                : datasets.find(caller, number(id, Datasets.none(id))).map(Optional::of);
    }

    /** Fails where there is none such, as far as the caller may know. */
    public Future<Optional<Image>> image(Caller caller, @Nullable String id) {
        return id == null
                ? Future.succeededFuture(Optional.empty())
                : images.find(caller, number(id, Images.none(id))).map(Optional::of);
    }

    private static long number(String id, Problem none) {
        if (!id.matches("\\d{1,18}")) {
            throw none;
        }
        return Long.parseLong(id);
    }

    /** One that the image has. */
    static String tag(Image image, @Nullable String tag) {
        var tags = image.content().tags();
        return tag != null && tags.contains(tag) ? tag : tags.getFirst();
    }

    private static String text(Dataset dataset, String image, boolean everywhere) {
        boolean folder = dataset.origin().isFolder();
        String place = folder ? JobText.quoted(dataset.inTask()) : '"' + dataset.inTask() + '"';
        return new JobText(
                        dataset.name(),
                        image,
                        1,
                        Size.SMALL,
                        List.of("du -sh " + place, "ls -la " + place + " | head -50"),
                        folder
                                ? List.of()
                                : List.of(new Transfer(
                                        dataset.input(), dataset.origin().path())),
                        List.of(),
                        folder && !everywhere ? List.of(dataset.origin().share()) : List.of(),
                        Map.of())
                .yaml();
    }

    private static String inImage(String image) {
        return new JobText(
                        image.replaceAll(".*/", ""),
                        image,
                        1,
                        Size.SMALL,
                        List.of("cat /etc/os-release", "python3 --version || true"),
                        List.of(),
                        List.of(),
                        List.of(),
                        Map.of())
                .yaml();
    }
}
