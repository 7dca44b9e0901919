package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What users have of one another's files: each has a user id of their own, a home that is closed, and two folders that are shared. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class UsersApartIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;

    /** With the engine that tasks are to have. */
    DoorDesk desk(Path data) throws Exception {
        return new DoorDesk(data);
    }

    @BeforeAll
    void open() throws Exception {
        assumeThat(System.getProperty("user.name"))
                .as("only root gives folders away")
                .isEqualTo("root");
        desk = desk(folder);
    }

    @AfterAll
    void close() {
        if (desk != null) {
            desk.close();
        }
    }

    /** What a job of theirs prints. */
    private static List<String> ran(DoorDesk.Somebody who, String job, String script) {
        who.submit(job, script, Map.of());
        var path = "/api/v2/jobs/" + who.name() + "~" + job;
        DoorDesk.until(
                job + " is over",
                () -> who.call("GET", path, null).body().matches("(?s).*\"state\":\"(SUCCEEDED|FAILED)\".*"));
        return who.call("GET", path + "/attempts/0/taskRoles/main/taskIndex/0/attempts/0/log", null)
                .body()
                .lines()
                .toList();
    }

    @Test
    void each_runs_with_a_user_id_of_their_own_and_reads_no_others_home() throws Exception {
        var ann = desk.somebody("ann");
        var bob = desk.somebody("bob");
        var who = "id -u; id -un; echo $HOME $USER; ";
        var anns = ran(
                ann,
                "first",
                who + "umask 022; echo secret > diary; mkdir open; echo x > /data/anns; ln diary linked; pwd");
        var data = folder.toRealPath();
        var bobs = ran(bob, "second", who + """
                cat /userhome/../ann/diary %1$s/homes/ann/diary 2>/dev/null
                ls /userhome | grep diary
                cat /data/anns
                (echo y > /data/anns) 2>/dev/null && echo overwritten
                rm -f /data/anns 2>/dev/null && echo removed
                touch /gdata/x 2>/dev/null && echo shared is written
                echo y > /data/bobs && echo common is written
                """.formatted(data));
        assertThat(anns.get(1)).isEqualTo("ann");
        assertThat(anns.get(2)).isEqualTo("/userhome ann");
        assertThat(anns.getLast()).isEqualTo("/userhome");
        assertThat(bobs.subList(1, bobs.size())).containsExactly("bob", "/userhome bob", "x", "common is written");
        int one = Integer.parseInt(anns.getFirst());
        int other = Integer.parseInt(bobs.getFirst());
        assertThat(List.of(one, other))
                .allMatch(id -> id >= 100_000 && id <= 165_535)
                .doesNotHaveDuplicates();
        assertThat(Files.getAttribute(data.resolve("homes/ann/diary"), "unix:uid"))
                .isEqualTo(one);
        assertThat(Files.getAttribute(data.resolve("data/bobs"), "unix:uid")).isEqualTo(other);
        // what the gateway's machine would let them do, were they to come past their own root
        var command =
                "setpriv --reuid=%d --regid=%d --clear-groups cat %s/homes/ann/diary".formatted(other, other, data);
        var process = new ProcessBuilder("sh", "-c", command)
                .redirectErrorStream(true)
                .start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("ermission denied");
    }

    @Test
    void what_is_common_and_what_is_shared_is_the_same_for_all() throws Exception {
        var carol = desk.somebody("carol");
        ran(carol, "makes", "true");
        Files.writeString(folder.toRealPath().resolve("gdata/set"), "images\n");
        assertThat(ran(carol, "reads", "cat /gdata/set; ls -ld /data | head -c 10"))
                .containsExactly("images", "drwxrwxrwt");
    }

    @Test
    void what_a_job_leaves_in_its_output_is_its_users_alone_and_stays_until_they_remove_it() throws Exception {
        var dora = desk.somebody("dora");
        var eve = desk.somebody("eve");
        ran(dora, "trains", "mkdir $SLUICE_OUTPUT/run; echo 0.93 > /output/run/accuracy; touch /output/../beside");
        assertThat(ran(eve, "looks", "ls -A /output; ls -A / | grep -x outputs"))
                .isEmpty();
        var kept = "/api/v2/files/@output/content?path=trains/run/accuracy";
        assertThat(dora.call("GET", kept, null).body()).isEqualTo("0.93\n");
        assertThat(eve.call("GET", kept, null).statusCode()).isEqualTo(404);
        var panel = "/api/v2/files/@output?path=";
        assertThat(eve.call("GET", panel, null).body()).contains("\"total\":0");
        assertThat(dora.call("GET", panel, null).body()).contains("\"name\":\"trains\"", "\"writable\":false");
        var output = "/api/v2/jobs/dora~trains/output";
        assertThat(eve.call("DELETE", output, null).statusCode()).isEqualTo(404);
        assertThat(dora.call("DELETE", output, null).statusCode()).isEqualTo(204);
        assertThat(dora.call("GET", kept, null).statusCode()).isEqualTo(404);
        assertThat(dora.call("DELETE", output, null).statusCode()).isEqualTo(404);
        DoorDesk.until("the disk has its room back", () -> isEmpty(folder.resolve("outputs-left")));
    }

    @Test
    void a_share_is_read_and_written_by_its_groups_and_not_there_for_others() throws Exception {
        var root = desk.administrator("shareroot");
        var wren = desk.somebody("wren");
        var rita = desk.somebody("rita");
        var otto = desk.somebody("otto");
        for (var group : Map.of("labw", wren, "labr", rita).entrySet()) {
            var made = "{\"groupname\":\"" + group.getKey()
                    + "\",\"description\":\"\",\"externalName\":\"\",\"extension\":{}}";
            assertThat(root.call("POST", "/api/v2/groups", made).statusCode()).isEqualTo(201);
            var member = "/api/v2/users/" + group.getValue().name() + "/group";
            assertThat(root.call("PUT", member, "{\"groupname\":\"" + group.getKey() + "\"}")
                            .statusCode())
                    .isEqualTo(201);
        }
        assertThat(wren.call("PUT", "/api/v2/shares/lab", "{}").statusCode()).isEqualTo(403);
        assertThat(root.call("PUT", "/api/v2/shares/lab", "{\"readers\":[\"nobodys\"]}")
                        .statusCode())
                .isEqualTo(422);
        var share = "{\"readers\":[\"labr\"],\"writers\":[\"labw\"],\"everywhere\":true}";
        assertThat(root.call("PUT", "/api/v2/shares/lab", share).statusCode()).isEqualTo(200);
        ran(wren, "writes", "umask 022; echo 1 > /mnt/lab/weights; mkdir /mnt/lab/dir");
        assertThat(ran(
                        rita,
                        "reads",
                        "cat /mnt/lab/weights; (echo 2 > /mnt/lab/weights) 2>/dev/null || echo no"
                                + "; touch /mnt/lab/mine 2>/dev/null || echo no"))
                .containsExactly("1", "no", "no");
        assertThat(ran(otto, "misses", "ls -d /mnt/lab 2>/dev/null; echo none")).containsExactly("none");
        var content = "/api/v2/files/@lab/content?path=weights";
        assertThat(rita.call("GET", content, null).body()).isEqualTo("1\n");
        assertThat(rita.call("PUT", content, "2").statusCode()).isEqualTo(403);
        assertThat(otto.call("GET", content, null).statusCode()).isEqualTo(404);
        assertThat(wren.call("PUT", content, "2").statusCode()).isEqualTo(200);
        assertThat(wren.call("DELETE", "/api/v2/files/@lab?path=dir", null).statusCode())
                .isEqualTo(204);
        assertThat(wren.call("GET", "/api/v2/files/@lab/bin", null).body()).contains("\"path\":\"dir\"");
        assertThat(rita.call("GET", "/api/v2/storages", null).body()).contains("\"lab\"", "\"gdata\"", "\"data\"");
        assertThat(rita.call("GET", "/api/v2/storages/lab", null).body()).contains("\"readOnly\":true");
        assertThat(otto.call("GET", "/api/v2/storages/lab", null).statusCode()).isEqualTo(404);
        // only in jobs that ask for it, and where they ask for it
        var asked = "{\"readers\":[\"labr\"],\"writers\":[\"labw\"]}";
        assertThat(root.call("PUT", "/api/v2/shares/lab", asked).statusCode()).isEqualTo(200);
        assertThat(ran(wren, "later", "ls /mnt/lab 2>/dev/null; echo none")).containsExactly("none");
        var extras = Map.<String, Object>of("storages", List.of(Map.of("name", "lab", "mountPath", "/weights")));
        wren.submit("named", "cat /weights/weights; echo 3 > /weights/weights", extras);
        DoorDesk.until(
                "a job has written where it asked to",
                () -> rita.call("GET", content, null).body().equals("3\n"));
        assertThat(root.call("DELETE", "/api/v2/shares/lab", null).statusCode()).isEqualTo(204);
        assertThat(wren.call("GET", content, null).statusCode()).isEqualTo(404);
    }

    private static boolean isEmpty(Path folder) {
        try (var all = Files.list(folder)) {
            return all.findAny().isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
