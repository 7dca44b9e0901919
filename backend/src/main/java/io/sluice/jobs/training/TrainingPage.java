package io.sluice.jobs.training;

import io.sluice.files.datasets.Dataset;
import io.sluice.jobs.images.Image;
import io.sluice.web.View;
import io.sluice.web.View.Faults;
import java.util.List;

/**
 * The form, as it was typed.
 *
 * @param engine number and tag of one of the images; empty: another image is named
 * @param image another one
 * @param flavor which of them
 * @param rows how many parameters there is room for
 */
public record TrainingPage(
        Training training,
        String engine,
        String image,
        String flavor,
        int rows,
        List<Image> images,
        List<Dataset> datasets,
        List<Flavor> flavors,
        Faults faults) {
    static final int ROWS = 4;
    private static final int GIB = 1024;

    public TrainingPage {
        images = List.copyOf(images);
        datasets = List.copyOf(datasets);
        flavors = List.copyOf(flavors);
    }

    TrainingPage refused(Faults why) {
        return new TrainingPage(training, engine, image, flavor, rows, images, datasets, flavors, why);
    }

    public static String engine(Image image, String tag) {
        return image.id() + ":" + tag;
    }

    /** Of a row; empty where there is none yet. */
    public Training.Parameter parameter(int row) {
        return row < training.parameters().size() ? training.parameters().get(row) : new Training.Parameter("", "");
    }

    /** Which is chosen: what was, or the first. */
    public boolean isChosen(Flavor one) {
        return flavors.stream().anyMatch(any -> any.id().equals(flavor))
                ? one.id().equals(flavor)
                : one.equals(flavors.getFirst());
    }

    /** As {@code 1 × Ascend 910, 24 CPU, 96 GiB}. */
    public static String said(Flavor flavor, View view) {
        int memoryMB = flavor.size().memoryMB();
        String memory = memoryMB < GIB ? view.t("train.mib", memoryMB) : view.t("train.gib", memoryMB / GIB);
        return flavor.size().devices() == 0
                ? view.t("train.flavor.plain", flavor.size().cpus(), memory)
                : view.t(
                        "train.flavor",
                        flavor.size().devices(),
                        String.valueOf(flavor.size().type()),
                        flavor.size().cpus(),
                        memory);
    }
}
