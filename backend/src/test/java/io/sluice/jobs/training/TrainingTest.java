package io.sluice.jobs.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.catalogue.Wrong;
import io.sluice.files.shares.Held;
import io.sluice.files.shares.Share;
import io.sluice.jobs.drafts.JobText.Size;
import io.sluice.jobs.images.DeviceKind;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import io.sluice.jobs.training.Training.Parameter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrainingTest {
    private static final List<Held> SHARES = List.of(
            new Held(Share.DATASETS, false),
            new Held(Share.COMMON, true),
            new Held(new Share("speech", "", List.of("default"), List.of(), false), false));
    private static final Flavor ONE = flavor(DeviceKind.ASCEND, 1, "Ascend910B");
    private static final List<String> VALUES = List.of(
            "3",
            "two words",
            "it's \"quoted\"",
            "$(touch /tmp/x) `id` ${HOME} !!",
            "line one\nline two\n",
            "<% $parameters.epochs %> <%% %> '<%'",
            "\\ \\n \t #no: comment, {a: b} [c] & | ; * ? ~",
            "数据 ümlaut \uD83D\uDE80",
            "-rf",
            "'; exit 1; '",
            "\u2028 \u0085 \u202E",
            "null");

    private static Flavor flavor(DeviceKind kind, int devices, String type) {
        return new Flavor(new Size(24, 98_304, devices, type), kind, 1, 1);
    }

    private static Training training(String code, String boot, Parameter... parameters) {
        return new Training("", code, boot, "/gdata/mnist", "/userhome/out", List.of(parameters), 1, "auto");
    }

    private static JobSpec read(Training training, Flavor flavor) {
        assertThat(training.wrong(SHARES)).isEmpty();
        String text = training.text("lab/mindspore:2.3", "MindSpore", flavor, SHARES);
        assertThat(Protocols.read(text)).as(text).isInstanceOf(Read.Accepted.class);
        var accepted = (Read.Accepted) Protocols.read(text);
        assertThat(accepted.warnings()).isEmpty();
        return accepted.spec();
    }

    private static String said(List<String> commands) throws IOException, InterruptedException {
        var builder = new ProcessBuilder("bash", "-c", String.join("\n", commands)).redirectErrorStream(true);
        builder.environment().putAll(Map.of("SLUICE_INPUT_DATA_URL", "/a b/in", "SLUICE_OUTPUT_TRAIN_URL", "/a b/out"));
        Process bash = builder.start();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void the_script_has_every_value_as_it_was_typed() throws Exception {
        Parameter[] parameters = VALUES.stream()
                .map(value -> new Parameter("p" + VALUES.indexOf(value), value))
                .toArray(Parameter[]::new);
        JobSpec spec = read(training("/userhome/co'de $(x)", "train it.py", parameters), ONE);
        String last = spec.roles().getFirst().commands().getLast();
        assertThat(last).startsWith("python3 -u 'train it.py' ");
        // what the shell makes of it, one argument after the other
        var arguments = said(List.of(last.replaceFirst("^python3 -u", "printf '%s\\\\0'")))
                .split("\0");
        assertThat(arguments).startsWith("train it.py", "--data_url=/a b/in", "--train_url=/a b/out");
        for (int i = 0; i < VALUES.size(); i++) {
            assertThat(arguments[i + 3]).isEqualTo("--p" + i + "=" + VALUES.get(i));
        }
        assertThat(arguments).hasSize(VALUES.size() + 3);
        String cd = spec.roles().getFirst().commands().get(1);
        assertThat(said(List.of(cd.replaceFirst("^cd", "printf %s")))).isEqualTo("/userhome/co'de $(x)");
    }

    @Test
    void a_flag_has_no_value_and_a_shell_script_is_started_by_a_shell() {
        JobSpec spec = read(training("/userhome/code", "scripts/run.sh", new Parameter("amp", "")), ONE);
        assertThat(spec.roles().getFirst().commands().getLast())
                .startsWith("bash scripts/run.sh ")
                .endsWith(" --amp");
        assertThat(spec.name()).isEqualTo("run");
    }

    @Test
    void an_ascend_flavor_starts_the_script_once_for_each_device_and_others_once() {
        var training = training("/userhome/code", "train.py");
        assertThat(training.text("i:1", "MindSpore", flavor(DeviceKind.ASCEND, 8, "Ascend910B"), SHARES))
                .contains("launcher: card", "framework: mindspore", "gpu: 8", "type: Ascend910B", "cpu: 24");
        assertThat(training.text("i:1", "PyTorch", flavor(DeviceKind.NVIDIA, 8, "H100"), SHARES))
                .doesNotContain("launcher");
        var each = new Training("", "/userhome/code", "train.py", "", "", List.of(), 2, "card");
        assertThat(each.text("i:1", "PyTorch", flavor(DeviceKind.NVIDIA, 8, "H100"), SHARES))
                .contains("launcher: card", "instances: 2");
        assertThat(each.text("i:1", "", new Flavor(new Size(4, 4096, 0, null), DeviceKind.ANY, 1, 1), SHARES))
                .doesNotContain("launcher");
    }

    @Test
    void what_lies_in_a_store_is_fetched_and_a_share_that_jobs_do_not_have_is_asked_for() {
        var training =
                new Training("", "s3://lab/code/", "train.py", "/mnt/speech/zh", "s3://lab/out/", List.of(), 1, "one");
        JobSpec spec = read(training, ONE);
        assertThat(spec.data().fetched())
                .extracting("name", "address")
                .containsExactly(org.assertj.core.groups.Tuple.tuple("code", "s3://lab/code/"));
        assertThat(spec.data().returned()).extracting("address").containsExactly("s3://lab/out/");
        assertThat(spec.storages()).extracting("name").containsExactly("speech");
        assertThat(spec.roles().getFirst().commands()).first().isEqualTo("cd \"$SLUICE_INPUT_CODE\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/etc",
                "/userhome/../root",
                "relative",
                "/mnt/closed/x",
                "/userhome/a\nb",
                "s3://",
                "/gdata//x"
            })
    void a_place_that_no_task_sees_is_refused(String place) {
        assertThat(training(place, "train.py").wrong(SHARES))
                .extracting(Wrong::field)
                .contains("code");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "train", "../train.py", "/usr/x.py", "a/../../b.py", "x.py; rm -rf /", "a\nb.py", "x.exe"})
    void a_boot_file_is_a_script_of_the_folder(String boot) {
        assertThat(training("/userhome/code", boot).wrong(SHARES))
                .extracting(Wrong::field)
                .contains("boot");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "data_url", "a b", "x=1", "$(id)", "1st", "ep'ochs", "-x"})
    void a_parameter_is_called_as_an_argument_can_be(String name) {
        assertThat(training("/userhome/code", "x.py", new Parameter(name, "1")).wrong(SHARES))
                .extracting(Wrong::field)
                .containsExactly("parameters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0000b", "\u001b[31m", "\r", "\uFEFF", "\uD800"})
    void a_value_holds_nothing_that_no_job_file_can(String value) {
        assertThat(training("/userhome/code", "x.py", new Parameter("lr", value))
                        .wrong(SHARES))
                .extracting(Wrong::key)
                .containsExactly("train.fault.unseen");
    }

    @Test
    void the_same_parameter_twice_is_refused() {
        var twice = training("/userhome/code", "x.py", new Parameter("lr", "1"), new Parameter("lr", "2"));
        assertThat(twice.wrong(SHARES)).extracting(Wrong::key).containsExactly("train.fault.twice");
    }
}
