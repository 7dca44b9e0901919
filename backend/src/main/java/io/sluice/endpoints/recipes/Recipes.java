package io.sluice.endpoints.recipes;

import io.sluice.jobs.protocol.apps.Apps;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** All recipes: those that come with the gateway, and those that an administrator put into a folder, which win. */
public final class Recipes {
    private static final List<String> OURS = List.of("jupyterlab", "tensorboard", "code-server", "port");
    private static final int MOST = 100;
    private static final int LONGEST = 64 << 10;

    private final Map<String, Recipe> recipes;

    private Recipes(Map<String, Recipe> recipes) {
        this.recipes = recipes;
    }

    /**
     * @param folder with files that end in {@code .yaml}; need not be there
     * @throws IllegalArgumentException with every fault of the files in it
     */
    public static Recipes read(Path folder) throws IOException {
        var recipes = new LinkedHashMap<String, Recipe>();
        for (String name : OURS) {
            try (InputStream file = Recipes.class.getResourceAsStream(name + ".yaml")) {
                String text = new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
                recipes.put(name, RecipeFile.read(name, text));
            }
        }
        List<String> faults = new ArrayList<>();
        for (Path file : files(folder)) {
            String name = file.getFileName().toString().replaceFirst("\\.yaml$", "");
            try {
                if (Files.size(file) > LONGEST) {
                    throw new IllegalArgumentException("it is longer than " + LONGEST + " bytes");
                }
                recipes.put(name, RecipeFile.read(name, Files.readString(file)));
            } catch (IllegalArgumentException e) {
                faults.add(file + ": " + e.getMessage());
            }
        }
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", faults));
        }
        return new Recipes(recipes);
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var all = Files.list(folder)) {
            List<Path> files = all.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .limit(MOST + 1L)
                    .toList();
            if (files.size() > MOST) {
                throw new IllegalArgumentException(folder + " holds more than " + MOST + " recipes. Take some away.");
            }
            return files;
        }
    }

    public Optional<Recipe> find(String name) {
        return Optional.ofNullable(recipes.get(name));
    }

    /** What a job can ask for before it is there. */
    public Apps apps() {
        return new Apps(recipes.values().stream()
                .collect(Collectors.toMap(
                        Recipe::name,
                        recipe -> new Apps.App(
                                recipe.runsProgram(), recipe.options().keySet()))));
    }

    public Collection<Recipe> all() {
        return recipes.values();
    }
}
