package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The real JupyterLab and TensorBoard, which {@code ./sluice test} installs where it can; elsewhere it says that these were not checked. */
@Tag("notebooks")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class NotebookIT {
    private static final Path APPS = Path.of("/opt/sluice-test/apps/bin");

    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;

    /** With the engine that tasks are to have. */
    DoorDesk desk(Path data) throws Exception {
        return new DoorDesk(data);
    }

    @BeforeAll
    void open() throws Exception {
        assertThat(APPS.resolve("jupyter-lab"))
                .as("what ./sluice test needs installs")
                .isExecutable();
        desk = desk(folder);
        ann = desk.somebody("ann");
    }

    @AfterAll
    void close() {
        if (desk != null) {
            desk.close();
        }
    }

    private static Answer get(Door door, String uri) {
        return desk.raw(door.request("GET", uri, "Connection: close"));
    }

    @Test
    void jupyterlab_and_tensorboard_are_there_as_their_job_is_and_openpais_plugin_too() throws IOException {
        ann.submit(
                "lab",
                "sleep 600",
                Map.of(
                        "sluice",
                        Map.of(
                                "environment", Map.of("PATH", APPS + ":/usr/local/bin:/usr/bin:/bin"),
                                "endpoints", List.of("jupyterlab")),
                        "com.microsoft.pai.runtimeplugin",
                        List.of(Map.of(
                                "plugin",
                                "tensorboard",
                                "parameters",
                                Map.of("port", 10_001, "logdir", Map.of("path", "/userhome/logs"))))));
        ann.ready("lab", "jupyterlab");
        Door lab = ann.door("lab", "jupyterlab");
        assertThat(get(lab, "/lab").status()).isEqualTo(200);
        assertThat(get(lab, "/api/status").body()).contains("started");
        int port = ann.state("lab", "jupyterlab").path("port").asInt();
        refused(port);
        Answer kernel = desk.raw(lab.request(
                        "POST",
                        "/api/kernels",
                        "Origin: " + lab.origin(),
                        "Content-Type: application/json",
                        "Content-Length: 2",
                        "Connection: close")
                + "{}");
        assertThat(kernel.status()).isEqualTo(201);
        String id = DoorDesk.JSON.readTree(kernel.body()).path("id").asText();
        try (Socket socket = desk.connect()) {
            socket.getOutputStream()
                    .write(lab.upgrade("/api/kernels/" + id + "/channels", "Origin: " + lab.origin())
                            .getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
        }
        assertThat(ann.call("POST", ann.endpoint("lab", "jupyterlab") + "/check", "{}")
                        .body())
                .contains("\"failed\":null")
                .contains("\"socket\"")
                .contains("\"asset\"");
        ann.ready("lab", "tensorboard");
        assertThat(get(ann.door("lab", "tensorboard"), "/data/logdir").body()).contains("/userhome/logs");
        ann.stop("lab");
    }

    @Test
    void a_notebook_of_the_file_centre_opens_where_it_lies() throws IOException {
        ann.submit(
                "study",
                "mkdir -p '/userhome/my runs'; echo '{\"cells\":[],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}'"
                        + " > '/userhome/my runs/first try.ipynb'; sleep 600",
                Map.of(
                        "sluice",
                        Map.of(
                                "environment", Map.of("PATH", APPS + ":/usr/local/bin:/usr/bin:/bin"),
                                "endpoints",
                                        List.of(Map.of(
                                                "recipe",
                                                "jupyterlab",
                                                "options",
                                                Map.of("folder", "/userhome/my runs", "file", "first try.ipynb"))))));
        ann.ready("study", "jupyterlab");
        Door lab = ann.door("study", "jupyterlab");
        var ticket = ann.ticket("study", "jupyterlab");
        Answer let = desk.raw("GET " + ticket.getRawPath() + "?" + ticket.getRawQuery() + " HTTP/1.1\r\nHost: "
                + ticket.getRawAuthority() + "\r\nConnection: close\r\n\r\n");
        assertThat(let.fields("Location")).singleElement().asString().endsWith("/lab/tree/first%20try.ipynb");
        assertThat(get(lab, "/lab/tree/first%20try.ipynb").status()).isEqualTo(200);
        assertThat(get(lab, "/api/contents").body()).contains("first try.ipynb");
        ann.stop("study");
    }

    /** Another user of the machine, who found the port, comes no further. */
    void refused(int port) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write("GET /api/contents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.all(socket)).startsWith("HTTP/1.1 403");
        }
    }
}
