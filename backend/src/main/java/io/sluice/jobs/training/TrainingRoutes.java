package io.sluice.jobs.training;

import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.catalogue.Typed;
import io.sluice.files.catalogue.Wrong;
import io.sluice.files.shares.Held;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.drafts.Catalogues;
import io.sluice.jobs.images.Image;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Faults;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The form on which a job is described as ModelArts has it. What comes of it is looked at, and changed, before it is submitted. */
final class TrainingRoutes {
    private static final String PAGE = "/jobs/train";
    private static final String TEMPLATE = "jobs/train.jte";
    private static final int OFFERED = 500;
    private static final int BODY = 1 << 20;
    private static final int LONGEST_IMAGE = 512;
    private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]*");

    private static final CatalogueQuery ALL = new CatalogueQuery("", "", "accepted", "", 0);

    private final Jobs jobs;
    private final Catalogues catalogues;
    private final Trainings.Editor editor;

    TrainingRoutes(Jobs jobs, Catalogues catalogues, Trainings.Editor editor) {
        this.jobs = jobs;
        this.catalogues = catalogues;
        this.editor = editor;
    }

    List<Route> routes() {
        return List.of(
                Route.get(PAGE, this::fresh).withoutApplications(),
                Route.post(PAGE, this::write).bodyLimit(BODY).withoutApplications());
    }

    private Future<Reply> fresh(Call call) {
        var dataset = catalogues.dataset(call.caller(), call.query("dataset").orElse(null));
        var image = catalogues.image(call.caller(), call.query("image").orElse(null));
        return Future.all(dataset, image).compose(chosen -> {
            String data = dataset.result().map(one -> one.origin().path()).orElse("");
            String engine = image.result()
                    .map(one -> TrainingPage.engine(one, one.content().tags().getFirst()))
                    .orElse("");
            var training = new Training("", "", "", data, "", List.of(), 1, "auto");
            return page(call, training, engine, "", "", TrainingPage.ROWS).map(page -> Reply.page(TEMPLATE, page));
        });
    }

    private Future<TrainingPage> page(
            Call call, Training training, String engine, String image, String flavor, int rows) {
        var images = catalogues.images().offered(call.caller(), ALL, OFFERED);
        var datasets = catalogues.datasets().offered(call.caller(), ALL, OFFERED);
        var machines = jobs.machines();
        return Future.all(images, datasets, machines)
                .map(read -> new TrainingPage(
                        training,
                        engine,
                        image,
                        flavor,
                        rows,
                        images.result(),
                        datasets.result(),
                        Flavor.of(machines.result()),
                        Faults.NONE));
    }

    private Future<Reply> write(Call call) {
        var training = typed(call);
        int rows = Math.max(TrainingPage.ROWS, training.parameters().size());
        boolean more = call.field("more").isPresent();
        var page = page(
                call,
                training,
                Typed.line(call, "engine"),
                Typed.line(call, "image"),
                Typed.line(call, "flavor"),
                more ? rows + TrainingPage.ROWS : rows);
        var shares = catalogues.datasets().shares(call.caller());
        return Future.all(page, shares)
                .compose(read -> more
                        ? Future.succeededFuture(again(page.result(), Faults.NONE))
                        : written(call, page.result(), shares.result()));
    }

    private static Training typed(Call call) {
        List<String> names = call.fields("parameter");
        List<String> values = call.fields("value");
        List<Training.Parameter> parameters = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i).strip().replaceFirst("^--", "");
            String value = i < values.size() ? values.get(i).replace("\r\n", "\n") : "";
            if (!name.isEmpty() || !value.isEmpty()) {
                parameters.add(new Training.Parameter(name, value));
            }
        }
        String nodes = Typed.line(call, "nodes");
        String processes = Typed.line(call, "processes");
        return new Training(
                Typed.line(call, "name"),
                Typed.line(call, "code"),
                Typed.line(call, "boot").replaceFirst("^(\\./)+", ""),
                Typed.line(call, "data_url"),
                Typed.line(call, "train_url"),
                parameters,
                nodes.isEmpty() ? 1 : nodes.matches("\\d{1,4}") ? Integer.parseInt(nodes) : 0,
                Training.PROCESSES.contains(processes) ? processes : "auto");
    }

    /** 422 also where only more rows were asked for: what was typed is nothing yet. */
    private static Reply again(TrainingPage page, Faults faults) {
        return Reply.page(TEMPLATE, page.refused(faults)).status(422);
    }

    private Future<Reply> written(Call call, TrainingPage page, List<Held> shares) {
        List<Wrong> wrong = new ArrayList<>(page.training().wrong(shares));
        Flavor flavor = page.flavors().stream()
                .filter(one -> one.id().equals(page.flavor()))
                .findFirst()
                .orElse(null);
        if (flavor == null) {
            wrong.add(new Wrong("flavor", "train.fault.flavor", "flavor: one that there is."));
        }
        Engine engine = engine(page);
        if (engine == null) {
            wrong.add(new Wrong("image", "train.fault.image", "image: as pytorch/pytorch:2.6."));
        }
        if (flavor == null || engine == null || !wrong.isEmpty()) {
            return Future.succeededFuture(again(page, Wrong.faults(wrong)));
        }
        String text = page.training().text(engine.reference(), engine.framework(), flavor, shares);
        boolean suits = engine.image()
                .map(image -> image.content().device().suits(flavor.kind()))
                .orElse(true);
        return editor.open(call, text, suits ? "info" : "warning", suits ? "train.written" : "train.unsuited");
    }

    private record Engine(String reference, String framework, Optional<Image> image) {}

    /** What is typed goes before what is chosen; null: there is neither. */
    private static @Nullable Engine engine(TrainingPage page) {
        if (!page.image().isEmpty()) {
            return page.image().length() <= LONGEST_IMAGE
                            && IMAGE.matcher(page.image()).matches()
                    ? new Engine(page.image(), "", Optional.empty())
                    : null;
        }
        for (Image image : page.images()) {
            for (String tag : image.content().tags()) {
                if (TrainingPage.engine(image, tag).equals(page.engine())) {
                    return new Engine(image.reference(tag), image.content().framework(), Optional.of(image));
                }
            }
        }
        return null;
    }
}
