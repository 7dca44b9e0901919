package io.sluice.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The dashboards against Grafana's published schema of the classic model ({@code kinds/dashboard/dashboard_kind.cue}), which 12 and 13 read: what it knows, what it wants, and
 * within which limits. No Grafana reads them here; they were compiled against the types of {@code @grafana/schema} 13.2.3.
 */
class DashboardsTest {
    private static final Path FOLDER = Path.of("../grafana");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> KNOWN = Set.of(
            "id",
            "uid",
            "title",
            "description",
            "revision",
            "gnetId",
            "tags",
            "timezone",
            "editable",
            "graphTooltip",
            "time",
            "timepicker",
            "fiscalYearStartMonth",
            "liveNow",
            "weekStart",
            "refresh",
            "schemaVersion",
            "version",
            "panels",
            "templating",
            "annotations",
            "links",
            "snapshot",
            "preload");
    private static final Set<String> OF_PANELS = Set.of(
            "type",
            "id",
            "pluginVersion",
            "targets",
            "title",
            "description",
            "transparent",
            "datasource",
            "gridPos",
            "links",
            "repeat",
            "repeatDirection",
            "maxPerRow",
            "maxDataPoints",
            "transformations",
            "interval",
            "timeFrom",
            "timeShift",
            "hideTimeOverride",
            "libraryPanel",
            "cacheTimeout",
            "queryCachingTTL",
            "options",
            "fieldConfig");
    /** Core panels of 12 and 13; graph, singlestat and table-old went with AngularJS. */
    private static final Set<String> TYPES = Set.of("timeseries", "stat", "table");

    private static final Set<String> VARIABLES =
            Set.of("query", "adhoc", "constant", "datasource", "interval", "textbox", "custom", "system");

    static List<Path> dashboards() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER.resolve("dashboards"))) {
            return files.sorted().toList();
        }
    }

    private static Set<String> fields(JsonNode node) {
        var names = new HashSet<String>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void a_dashboard_has_what_the_schema_wants_and_nothing_it_does_not_know(Path file) throws IOException {
        JsonNode dashboard = JSON.readTree(file.toFile());
        assertThat(KNOWN).containsAll(fields(dashboard));
        assertThat(dashboard.has("id")).as("a number of one Grafana's own").isFalse();
        assertThat(dashboard.path("uid").asText())
                .isEqualTo("sluice-" + file.getFileName().toString().replace(".json", ""))
                .hasSizeBetween(8, 40);
        assertThat(dashboard.path("title").asText()).isNotBlank();
        assertThat(dashboard.path("schemaVersion").asInt()).isBetween(36, 42);
        assertThat(dashboard.path("graphTooltip").asInt(-1)).isBetween(0, 2);
        assertThat(dashboard.path("editable").isBoolean()).isTrue();
        assertThat(dashboard.path("version").isInt()).isTrue();
        assertThat(dashboard.path("refresh").asText()).matches("\\d+[smhd]");
        assertThat(dashboard.path("timezone").asText()).isIn("browser", "utc");
        assertThat(dashboard.at("/time/from").asText()).startsWith("now-");
        assertThat(dashboard.at("/time/to").asText()).isEqualTo("now");
        assertThat(dashboard.at("/annotations/list").isArray()).isTrue();
        assertThat(dashboard.path("panels").isArray()).isTrue();
        assertThat(dashboard.path("panels").size()).isPositive();
        for (JsonNode variable : dashboard.at("/templating/list")) {
            assertThat(variable.path("type").asText()).isIn(VARIABLES);
            assertThat(variable.path("name").asText()).matches("\\w+");
            assertThat(variable.path("hide").asInt(-1)).isBetween(0, 2);
            assertThat(variable.has("current") && !variable.path("current").has("text"))
                    .as("half a choice")
                    .isFalse();
            assertSource(variable.path("datasource"));
        }
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void panels_lie_side_by_side_and_ask_the_one_data_source(Path file) throws IOException {
        JsonNode panels = JSON.readTree(file.toFile()).path("panels");
        var ids = new HashSet<Integer>();
        var taken = new HashSet<List<Integer>>();
        for (JsonNode panel : panels) {
            String name = panel.path("title").asText();
            assertThat(OF_PANELS).as(name).containsAll(fields(panel));
            assertThat(panel.path("type").asText()).isIn(TYPES);
            assertThat(ids.add(panel.path("id").asInt()))
                    .as("one id for " + name)
                    .isTrue();
            assertThat(panel.has("repeat"))
                    .as("what is repeated can not be embedded")
                    .isFalse();
            assertSource(panel.path("datasource"));
            assertThat(panel.at("/fieldConfig/defaults").isObject()).isTrue();
            assertThat(panel.at("/fieldConfig/overrides").isArray()).isTrue();
            assertThat(panel.path("options").isObject()).isTrue();
            JsonNode legend = panel.at("/options/legend");
            assertThat(legend.isMissingNode() || legend.path("calcs").isArray())
                    .as("what a legend sums up")
                    .isTrue();
            for (JsonNode step : panel.path("transformations")) {
                assertThat(step.path("id").asText()).isNotBlank();
                assertThat(step.path("options").isObject()).isTrue();
            }
            assertPlace(panel.path("gridPos"), taken, name);
            assertTargets(panel.path("targets"), name);
        }
    }

    private static void assertPlace(JsonNode place, Set<List<Integer>> taken, String name) {
        assertThat(fields(place)).containsExactlyInAnyOrder("x", "y", "w", "h");
        assertThat(place.path("h").asInt()).isPositive();
        assertThat(place.path("w").asInt()).isPositive();
        assertThat(place.path("x").asInt() + place.path("w").asInt()).isLessThanOrEqualTo(24);
        for (int x = place.path("x").asInt();
                x < place.path("x").asInt() + place.path("w").asInt();
                x++) {
            for (int y = place.path("y").asInt();
                    y < place.path("y").asInt() + place.path("h").asInt();
                    y++) {
                assertThat(taken.add(List.of(x, y)))
                        .as(name + " lies on another")
                        .isTrue();
            }
        }
    }

    private static void assertTargets(JsonNode targets, String name) {
        var letters = new HashSet<String>();
        assertThat(targets.size()).as(name).isPositive();
        for (JsonNode target : targets) {
            assertThat(letters.add(target.path("refId").asText())).as(name).isTrue();
            assertThat(target.path("expr").asText()).as(name).isNotBlank();
            assertThat(target.path("instant").asBoolean()
                            || target.path("range").asBoolean())
                    .as(name)
                    .isTrue();
            assertSource(target.path("datasource"));
        }
    }

    private static void assertSource(JsonNode source) {
        assertThat(source.path("type").asText()).isEqualTo("prometheus");
        assertThat(source.path("uid").asText()).isEqualTo("sluice");
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void it_is_provisioned_and_asks_the_gateway(Path file) throws IOException {
        String source = Files.readString(FOLDER.resolve("provisioning/datasources/sluice.yaml"));
        assertThat(source).contains("uid: sluice", "url: $SLUICE_URL/prometheus", "httpHeaderName1: X-Sluice-Grafana");
        String provider = Files.readString(FOLDER.resolve("provisioning/dashboards/sluice.yaml"));
        String compose = Files.readString(Path.of("../compose/compose.yaml"));
        assertThat(provider).contains("path: /etc/grafana/sluice");
        assertThat(compose)
                .contains("../grafana/dashboards:/etc/grafana/sluice:ro", "GF_DATAPROXY_SEND_USER_HEADER: \"true\"")
                .contains("GF_AUTH_PROXY_ENABLE_LOGIN_TOKEN: \"false\"", "GF_SERVER_SERVE_FROM_SUB_PATH: \"true\"");
        assertThat(file).isNotEmptyFile();
    }
}
