package io.sluice.files.datasets;

import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.shares.Held;
import io.sluice.web.Caller;
import io.sluice.web.View;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import java.text.NumberFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the templates of datasets take. */
public final class DatasetPages {
    private static final List<String> UNITS = List.of("B", "kB", "MB", "GB", "TB", "PB");
    private static final int THOUSAND = 1_000;

    private DatasetPages() {}

    /** The catalogue. */
    public record All(
            CatalogueQuery query,
            CatalogueQuery.Found<Dataset> found,
            @Nullable Note note) {}

    /**
     * One of it.
     *
     * @param held the share that it lies in, as who looks has it; null: it lies in none, or in one that they have not
     */
    public record One(
            Dataset dataset,
            @Nullable Held held,
            Caller caller,
            @Nullable Note note) {
        /** It can be seen, and not be read. */
        public boolean isOutOfReach() {
            return dataset.origin().isFolder() && held == null;
        }

        /** Where the file centre shows it. */
        public String files() {
            return "/files?in=@" + dataset.origin().share() + "&path="
                    + dataset.origin().place().encoded();
        }

        /** What its job says beside the command; empty: nothing is needed. */
        public String extras() {
            return DatasetPages.extras(dataset, held != null && held.share().everywhere());
        }

        public boolean changeable() {
            return dataset.standing().isChangedBy(caller);
        }

        public boolean mine() {
            return dataset.standing().userId() == caller.id();
        }
    }

    /**
     * The form, as it was typed.
     *
     * @param id of what is changed; null: it is a new one
     */
    public record Form(
            @Nullable Long id,
            boolean accepted,
            String name,
            String description,
            String path,
            String readers,
            String size,
            Faults faults) {
        static Form of(@Nullable Dataset old, Caller caller) {
            var content = old == null ? Dataset.Content.EMPTY : old.content();
            Long told = content.told();
            return new Form(
                    old == null ? null : old.id(),
                    caller.admin(),
                    content.name(),
                    content.description(),
                    content.path(),
                    String.join(", ", content.readers()),
                    told == null ? "" : told.toString(),
                    Faults.NONE);
        }

        Form refused(Faults why) {
            return new Form(id, accepted, name, description, path, readers, size, why);
        }

        public String action() {
            return id == null ? "/datasets/new" : "/datasets/" + id + "/edit";
        }
    }

    /** How large, in few digits; a dash where nobody knows. */
    public static String amount(@Nullable Long bytes, View view) {
        if (bytes == null) {
            return "–";
        }
        double left = bytes;
        int power = 0;
        for (; left >= THOUSAND && power < UNITS.size() - 1; left /= THOUSAND) {
            power++;
        }
        NumberFormat number = NumberFormat.getInstance(view.locale());
        number.setMaximumFractionDigits(left < 100 ? 1 : 0);
        return number.format(left) + " " + UNITS.get(power);
    }

    /** What a shell of a task does with it. */
    public static String shell(Dataset dataset) {
        String place = dataset.inTask();
        return dataset.origin().isFolder() && place.matches("[A-Za-z0-9/._-]+")
                ? "ls " + place
                : place.startsWith("$") ? "ls \"" + place + "\"" : "ls '" + place.replace("'", "'\\''") + "'";
    }

    /** What its job says beside; empty: nothing is needed. */
    private static String extras(Dataset dataset, boolean everywhere) {
        return dataset.origin().isFolder()
                ? everywhere
                        ? ""
                        : "extras:\n  storages:\n    - name: "
                                + dataset.origin().share()
                : String.format(
                        Locale.ROOT,
                        "extras:\n  sluice:\n    data:\n      inputs:\n        - name: %s\n          from: \"%s\"",
                        dataset.input(),
                        dataset.origin().path().replace("\\", "\\\\").replace("\"", "\\\""));
    }
}
