package io.sluice.jobs.training;

import io.sluice.files.catalogue.Wrong;
import io.sluice.files.datasets.Origin;
import io.sluice.files.shares.Held;
import io.sluice.jobs.drafts.JobText;
import io.sluice.jobs.drafts.JobText.Transfer;
import io.sluice.jobs.images.DeviceKind;
import io.sluice.jobs.protocol.data.Data;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What somebody has typed: what to run, with what, and on how much.
 *
 * @param code the folder with the script
 * @param boot the script, from that folder
 * @param dataUrl empty: the script is told none
 * @param trainUrl empty: the script is told none
 * @param processes {@code auto}, {@code card} or {@code one}
 */
public record Training(
        String name,
        String code,
        String boot,
        String dataUrl,
        String trainUrl,
        List<Parameter> parameters,
        int nodes,
        String processes) {
    static final Training EMPTY = new Training("", "", "", "", "", List.of(), 1, "auto");
    public static final List<String> PROCESSES = List.of("auto", "card", "one");
    static final int MOST_NODES = 1_000;
    static final int MOST_PARAMETERS = 100;
    private static final int LONGEST_BOOT = 1_000;
    private static final Pattern PARAMETER = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,99}");
    /** That no job file may hold. */
    private static final Pattern UNSEEN = Pattern.compile("[\\p{Cntrl}&&[^\\n\\t]]|[\\uFEFF\\uFFFE\\uFFFF]|\\p{Cs}");

    private static final Pattern BOOT = Pattern.compile("(?U)[^\\p{Cntrl}]+\\.(py|sh)");
    private static final String DATA_URL = "data_url";
    private static final String TRAIN_URL = "train_url";
    private static final String CODE = "code";

    /** @param value empty: the name alone is given, as to a flag */
    public record Parameter(String name, String value) {}

    public Training {
        parameters = List.copyOf(parameters);
    }

    /** @param shares as who types has them */
    List<Wrong> wrong(List<Held> shares) {
        List<Wrong> all = new ArrayList<>();
        place(all, "code", code, shares);
        if (!dataUrl.isEmpty()) {
            place(all, "data_url", dataUrl, shares);
        }
        if (!trainUrl.isEmpty()) {
            place(all, "train_url", trainUrl, shares);
        }
        boolean within = !boot.startsWith("/") && !List.of(boot.split("/", -1)).contains("..");
        if (!within || boot.length() > LONGEST_BOOT || !BOOT.matcher(boot).matches()) {
            all.add(new Wrong("boot", "train.fault.boot", "boot: a .py or .sh file, from the code folder."));
        }
        if (nodes < 1 || nodes > MOST_NODES) {
            all.add(new Wrong("nodes", "train.fault.nodes", "nodes: 1 to " + MOST_NODES + "."));
        }
        parameters(all);
        return all;
    }

    private static void place(List<Wrong> all, String field, String place, List<Held> shares) {
        if (!Data.isAddress(place) || (place.startsWith("/") && !Data.isFolder(place, List.of()))) {
            all.add(new Wrong(field, "train.fault.place", field + ": a folder that tasks see, or s3://…"));
            return;
        }
        Origin.of(place)
                .filter(Origin::isFolder)
                .filter(origin ->
                        shares.stream().noneMatch(held -> held.share().name().equals(origin.share())))
                .ifPresent(origin ->
                        all.add(new Wrong(field, "datasets.fault.share", field + ": there is no such share.")));
    }

    private void parameters(List<Wrong> all) {
        List<String> names = parameters.stream().map(Parameter::name).toList();
        boolean named = names.stream().allMatch(one -> PARAMETER.matcher(one).matches());
        if (!named || names.size() > MOST_PARAMETERS) {
            all.add(new Wrong("parameters", "train.fault.parameters", "parameters: names such as epochs."));
        } else if (names.stream().distinct().count() < names.size()
                || Stream.of(DATA_URL, TRAIN_URL).anyMatch(names::contains)) {
            all.add(new Wrong("parameters", "train.fault.twice", "parameters: each name once."));
        } else if (parameters.stream()
                .anyMatch(one -> UNSEEN.matcher(one.value()).find())) {
            all.add(new Wrong("parameters", "train.fault.unseen", "parameters: no control characters in values."));
        }
    }

    /**
     * The job file.
     *
     * @param framework of the image, as its catalogue has it
     */
    String text(String image, String framework, Flavor flavor, List<Held> shares) {
        List<Transfer> inputs = new ArrayList<>();
        if (isStored(code)) {
            inputs.add(new Transfer(CODE, code));
        }
        if (!dataUrl.isEmpty()) {
            inputs.add(new Transfer(DATA_URL, dataUrl));
        }
        List<Transfer> outputs = trainUrl.isEmpty() ? List.of() : List.of(new Transfer(TRAIN_URL, trainUrl));
        return new JobText(
                        name.isBlank() ? boot.replaceAll("^.*/|\\.[a-z]+$", "") : name,
                        image,
                        nodes,
                        flavor.size(),
                        commands(),
                        inputs,
                        outputs,
                        asked(shares),
                        distributed(framework, flavor))
                .yaml();
    }

    private static boolean isStored(String place) {
        return !place.startsWith("/");
    }

    /** The last one is what a launcher starts. */
    private List<String> commands() {
        List<String> commands = new ArrayList<>();
        if (!trainUrl.isEmpty() && !isStored(trainUrl)) {
            commands.add("mkdir -p \"$SLUICE_OUTPUT_TRAIN_URL\"");
        }
        commands.add("cd " + (isStored(code) ? "\"$SLUICE_INPUT_CODE\"" : JobText.quoted(code)));
        List<String> words = new ArrayList<>();
        words.add(boot.endsWith(".sh") ? "bash" : "python3 -u");
        words.add(plain(boot.startsWith("-") ? "./" + boot : boot));
        if (!dataUrl.isEmpty()) {
            words.add("--data_url=\"$SLUICE_INPUT_DATA_URL\"");
        }
        if (!trainUrl.isEmpty()) {
            words.add("--train_url=\"$SLUICE_OUTPUT_TRAIN_URL\"");
        }
        parameters.forEach(
                one -> words.add("--" + one.name() + (one.value().isEmpty() ? "" : "=" + JobText.quoted(one.value()))));
        commands.add(String.join(" ", words));
        return commands;
    }

    private static String plain(String word) {
        return word.matches("[A-Za-z0-9_./-]+") ? word : JobText.quoted(word);
    }

    /** Shares that jobs do not have by themselves. */
    private List<String> asked(List<Held> shares) {
        return Stream.of(code, dataUrl, trainUrl)
                .flatMap(place -> Origin.of(place).stream())
                .map(Origin::share)
                .distinct()
                .filter(name -> shares.stream()
                        .anyMatch(held -> held.share().name().equals(name)
                                && !held.share().everywhere()))
                .toList();
    }

    /** ModelArts starts the script for each card of an Ascend machine, and once on others. */
    private Map<String, Object> distributed(String framework, Flavor flavor) {
        Map<String, Object> distributed = new LinkedHashMap<>();
        boolean cards = flavor.size().devices() > 0
                && (processes.equals("card") || (processes.equals("auto") && flavor.kind() == DeviceKind.ASCEND));
        if (cards) {
            distributed.put("launcher", "card");
        }
        String known = framework.toLowerCase(Locale.ROOT);
        if (List.of("mindspore", "tensorflow", "pytorch").contains(known)) {
            distributed.put("framework", known);
        }
        return cards || nodes > 1 ? distributed : Map.of();
    }
}
