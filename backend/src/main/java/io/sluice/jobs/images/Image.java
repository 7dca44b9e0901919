package io.sluice.jobs.images;

import io.sluice.files.catalogue.Entry;
import io.sluice.files.catalogue.Standing;
import io.sluice.files.catalogue.Wrong;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** An entry of the catalogue. */
public record Image(long id, Content content, Standing standing) implements Entry<Image.Content> {
    public static final int LONGEST_NAME = 100;
    public static final int LONGEST_DESCRIPTION = 4_000;
    public static final int LONGEST_FRAMEWORK = 40;
    private static final int LONGEST_REPOSITORY = 255;
    private static final int MOST_TAGS = 50;
    private static final String PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
    /** The first part is a machine's name only if it looks like one, as Docker has it. */
    private static final String HOST =
            "(?:localhost(?::\\d{1,5})?|[A-Za-z0-9][A-Za-z0-9-]*(?:\\.[A-Za-z0-9-]+)+(?::\\d{1,5})?|[A-Za-z0-9][A-Za-z0-9-]*:\\d{1,5})";

    private static final Pattern REPOSITORY = Pattern.compile("(?:" + HOST + "/)?" + PART + "(?:/" + PART + ")*+");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");

    /**
     * What people say of it.
     *
     * @param description what is inside
     * @param repository where it lies, without a tag
     * @param tags its versions, the usual one first
     * @param framework as {@code PyTorch}; empty: none
     */
    public record Content(
            String name,
            String description,
            String repository,
            List<String> tags,
            String framework,
            DeviceKind device) {
        public static final Content EMPTY = new Content("", "", "", List.of(), "", DeviceKind.ANY);

        public Content {
            tags = List.copyOf(tags);
        }

        public List<Wrong> wrong() {
            List<Wrong> all = new ArrayList<>();
            if (name.isBlank() || name.length() > LONGEST_NAME) {
                all.add(new Wrong(
                        "name",
                        "catalogue.fault.name",
                        "name: 1 to " + LONGEST_NAME + " characters, such as PyTorch."));
            }
            if (description.length() > LONGEST_DESCRIPTION) {
                all.add(new Wrong(
                        "description",
                        "catalogue.fault.description",
                        "description: at most " + LONGEST_DESCRIPTION + " characters."));
            }
            if (repository.length() > LONGEST_REPOSITORY
                    || !REPOSITORY.matcher(repository).matches()) {
                all.add(new Wrong(
                        "repository",
                        "images.fault.repository",
                        "repository: as registry.example.org/team/pytorch, without a tag."));
            }
            if (tags.isEmpty()
                    || tags.size() > MOST_TAGS
                    || !tags.stream().allMatch(tag -> TAG.matcher(tag).matches())) {
                all.add(new Wrong(
                        "tags", "images.fault.tags", "tags: 1 to " + MOST_TAGS + " tags, as [\"2.4-cuda12\"]."));
            }
            if (framework.length() > LONGEST_FRAMEWORK) {
                all.add(new Wrong(
                        "framework",
                        "images.fault.framework",
                        "framework: at most " + LONGEST_FRAMEWORK + " characters, as MindSpore."));
            }
            return all;
        }
    }

    @Override
    public String name() {
        return content.name();
    }

    /** As a job names it. */
    public String reference(String tag) {
        return content.repository() + ":" + tag;
    }
}
