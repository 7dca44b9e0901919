package io.sluice.jobs.drafts;

import io.vertx.core.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;

/** The jobs that come with Sluice, to begin with. Their titles stand in the texts under {@code template.<name>}. */
public final class Examples {
    private static final Map<String, Properties> TEXTS = Map.of("en", texts("en"), "zh", texts("zh"));

    /** In the order they are offered. */
    public static final List<Example> ALL = List.of(
            read("hello"),
            read("progress"),
            read("notebook"),
            read("mnist-pytorch"),
            read("cifar10-tensorflow"),
            read("imagenet-4gpu"),
            read("resnet50-ascend"),
            read("resnet50-ascend-8"),
            read("distributed-2-nodes"),
            read("ranks"),
            read("pytorch-ddp"),
            read("parameter-server"),
            read("tensorflow-ps"),
            read("mindspore-ranks"),
            read("apulis-2-npu"),
            read("mpi-hello"));

    private Examples() {}

    /** A job of protocol 2 as YAML, with comments that explain it. */
    public record Example(String name, String config) {
        /** The key of its title in the texts; {@code .about} behind it, of what it shows. */
        public String key() {
            return "template." + name;
        }

        public String title(String language) {
            return text(language, key());
        }

        public String about(String language) {
            return text(language, key() + ".about");
        }

        private static String text(String language, String key) {
            Properties texts = TEXTS.getOrDefault(language, new Properties());
            return Objects.requireNonNull(texts.getProperty(key), () -> "no text " + key + " in " + language);
        }
    }

    public static Optional<Example> named(String name) {
        return ALL.stream().filter(example -> example.name().equals(name)).findFirst();
    }

    /**
     * A session of JupyterLab in a folder.
     *
     * @param file that opens with it; empty: none
     * @param storage that the folder is in, and that a job has to ask for; empty: it has it anyway
     */
    public static String notebook(String folder, String file, String storage) {
        String place = "      - recipe: jupyterlab\n        options:\n          folder: " + quoted(folder)
                + (file.isEmpty() ? "" : "\n          file: " + quoted(file));
        String config = named("notebook").orElseThrow().config();
        return config.replace("      - jupyterlab", place)
                .replace(
                        "extras:\n",
                        storage.isEmpty()
                                ? "extras:\n"
                                : "extras:\n  storages:\n    - name: " + quoted(storage) + "\n");
    }

    /** JSON's words are YAML's. */
    private static String quoted(String text) {
        return Json.encode(text);
    }

    private static Properties texts(String language) {
        var texts = new Properties();
        try (InputStream stream = Examples.class.getResourceAsStream("/texts/" + language + ".properties")) {
            texts.load(new InputStreamReader(Objects.requireNonNull(stream), StandardCharsets.UTF_8));
            return texts;
        } catch (IOException e) {
            throw new IllegalStateException("texts of " + language + " can not be read", e);
        }
    }

    private static Example read(String name) {
        try (InputStream stream =
                Objects.requireNonNull(Examples.class.getResourceAsStream("examples/" + name + ".yaml"), name)) {
            return new Example(name, new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("the example " + name + " can not be read", e);
        }
    }
}
