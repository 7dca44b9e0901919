package io.sluice.jobs.images;

import io.sluice.engines.Engine.Kept;
import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.web.Caller;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the templates of images take. */
public final class ImagePages {
    /** That are offered to whoever writes down another; any word goes. */
    public static final List<String> FRAMEWORKS =
            List.of("PyTorch", "TensorFlow", "MindSpore", "JAX", "PaddlePaddle", "Caffe", "MXNet");

    private ImagePages() {}

    /** The catalogue. */
    public record All(
            CatalogueQuery query,
            CatalogueQuery.Found<Image> found,
            @Nullable Note note) {}

    /** One of it. */
    public record One(Image image, Caller caller, @Nullable Note note) {
        public boolean changeable() {
            return image.standing().isChangedBy(caller);
        }

        public boolean isOfTask() {
            return ImagePages.isOfTask(image.content().repository());
        }
    }

    /** Whether it was saved of a task, with what that one has written down. */
    private static boolean isOfTask(String repository) {
        return repository.startsWith(Kept.REGISTRY + "/");
    }

    /**
     * The form, as it was typed.
     *
     * @param id of what is changed; null: it is a new one
     * @param accepted whether it needs nobody's word
     */
    public record Form(
            @Nullable Long id,
            boolean accepted,
            String name,
            String description,
            String repository,
            String tags,
            String framework,
            String device,
            Faults faults) {
        static Form of(@Nullable Image old, Image.Content content, Caller caller) {
            return new Form(
                    old == null ? null : old.id(),
                    caller.admin(),
                    content.name(),
                    content.description(),
                    content.repository(),
                    String.join(", ", content.tags()),
                    content.framework(),
                    content.device().key(),
                    Faults.NONE);
        }

        Form refused(Faults why) {
            return new Form(id, accepted, name, description, repository, tags, framework, device, why);
        }

        public boolean isOfTask() {
            return ImagePages.isOfTask(repository);
        }

        public String action() {
            return id == null ? "/images/new" : "/images/" + id + "/edit";
        }
    }
}
