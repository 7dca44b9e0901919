package io.sluice.jobs.data.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.tree.Place;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Pace;
import io.sluice.jobs.data.web.Authorities;
import io.sluice.jobs.data.web.Hosts;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.Source;
import io.sluice.jobs.data.web.WebLine;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of repositories, from git's own server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepositoriesTest {
    private static final Care CARE =
            new Care(new Pace(1, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(1)), () -> {});

    /** More than any of these repositories has, but for one. */
    private static final int MOST_FILES = 50_000;

    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong came = new AtomicLong();
    private Path folder;
    private GitServer git;
    private GitServer old;
    private String first;
    private String middle;
    private String second;

    @BeforeAll
    void begin(@TempDir Path folder) throws Exception {
        this.folder = folder;
        git = new GitServer(folder);
        Files.writeString(git.tree.resolve("readme"), "one");
        first = git.commit();
        git.sh("git tag -a v1 -m v1");
        middle = git.commit();
        byte[] noise = new byte[300_000];
        new Random(1).nextBytes(noise);
        Files.write(git.tree.resolve("noise.bin"), noise);
        git.sh(
                "mkdir -p a/b sub && echo run > a/run.sh && chmod +x a/run.sh && ln -s ../readme a/link && ln -s ../../etc a/out"
                        + " && ln -s /etc/passwd abs && echo two > readme && seq 1 20000 > a/b/long && cp a/b/long long2 && echo x >> long2"
                        + " && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub");
        second = git.commit();
        git.sh("git -C ../x.git repack -adfq");
        old = new GitServer(Files.createDirectories(folder.resolve("old")));
        old.forgetSecond();
        old.sh("git pull -q ../../x.git main --tags && git push -q ../x.git HEAD:main --tags");
    }

    @AfterAll
    void end() {
        git.close();
        old.close();
        vertx.close().await();
    }

    /** Everything that came, by its path. */
    private Map<String, String> had(String address, Limits limits) throws IOException {
        var line = new WebLine(new WebLine.Settings(
                new Hosts(Set.of("localhost:" + git.port(), "localhost:" + old.port())), limits, Authorities.USUAL));
        Path scratch = folder.resolve("scratch");
        var all = new TreeMap<String, String>();
        try (var source = new Repositories(line, MOST_FILES, more -> {})
                .source(address, scratch, (bytes, left) -> true, CARE, came::set)) {
            Source.Amount amount = source.count();
            source.each(new Into(all));
            assertThat(amount.files()).isEqualTo(all.size());
        } finally {
            line.close();
            assertThat(scratch).doesNotExist();
        }
        return all;
    }

    private Map<String, String> had(String address) throws IOException {
        return had(address, Limits.USUAL);
    }

    private record Into(Map<String, String> all) implements Source.Taker {
        @Override
        public void file(Place place, String version, long size, Instant changed, Source.Opening opening)
                throws IOException {
            try (var whole = opening.from(0);
                    var part = opening.from(size / 2)) {
                byte[] bytes = whole.readAllBytes();
                assertThat(bytes).hasSize((int) size);
                assertThat(part.readAllBytes()).hasSize((int) (size - size / 2));
                assertThat(changed)
                        .isBetween(Instant.EPOCH.plusSeconds(1), Instant.now().plusSeconds(1));
                all.put(place.encoded(), size < 100 ? new String(bytes, StandardCharsets.UTF_8) : "long " + size);
            }
        }

        @Override
        public void permit(Place place) {
            all.computeIfPresent(place.encoded(), (path, text) -> "program " + text);
        }

        @Override
        public void folder(Place place) {
            all.put(place.encoded(), "folder");
        }

        @Override
        public void link(Place place, String leads) {
            all.put(place.encoded(), "to " + leads);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_its_server_shows_first_is_had_in_both_protocols(boolean newest) throws IOException {
        var all = had((newest ? git : old).address("/x.git"));
        assertThat(all)
                .containsEntry("readme", "two\n")
                .containsEntry("a/run.sh", "program run\n")
                .containsEntry("a/link", "to ../readme")
                .containsEntry("a/b/long", "long 108894")
                .containsEntry("long2", "long 108896")
                .containsEntry("noise.bin", "long 300000")
                .containsEntry("sub", "folder");
        assertThat(all)
                .as("what leads out of it is a file, as where there are no links")
                .containsEntry("a/out", "../../etc")
                .containsEntry("abs", "/etc/passwd");
        assertThat(all).hasSize(9);
        assertThat(came.get()).isGreaterThan(300_000);
    }

    @ParameterizedTest
    @CsvSource({"#main, two", "#v1, one", "#refs/tags/v1, one", "#FIRST, one", "#MIDDLE, one", "#SECOND, two"})
    void a_branch_a_tag_and_a_commit_are_named_behind_the_address(String revision, String content) throws IOException {
        String named =
                revision.replace("FIRST", first).replace("MIDDLE", middle).replace("SECOND", second);
        assertThat(had(git.address("/x.git") + named))
                .containsEntry("readme", content + (content.equals("two") ? "\n" : ""));
    }

    @Test
    void pips_way_is_known_too() throws IOException {
        assertThat(had("git+" + git.address("/x.git") + "@v1")).containsOnly(Map.entry("readme", "one"));
    }

    @Test
    void a_commit_without_a_name_is_told_where_the_server_gives_none() {
        assertThatThrownBy(() -> had(old.address("/x.git#") + middle))
                .hasMessageContaining("gives no commits that have no name");
    }

    @Test
    void a_branch_that_is_not_there_is_told() {
        assertThatThrownBy(() -> had(git.address("/x.git#mian")))
                .hasMessageContaining("has no branch or tag “mian”")
                .hasMessageContaining("spelling");
    }

    @Test
    void where_no_repository_is_that_is_told() {
        assertThatThrownBy(() -> had(git.address("/none.git"))).hasMessageContaining("HTTP 404");
        assertThatThrownBy(() -> had(git.address("/page.git")))
                .hasMessageContaining("no repository")
                .hasMessageContaining("git ls-remote");
    }

    @Test
    void a_server_may_lead_elsewhere_and_not_inside() throws IOException {
        assertThat(had(git.address("/there.git"))).containsEntry("readme", "two\n");
        int before = git.asked.get();
        assertThatThrownBy(() -> had(git.address("/inside.git"))).hasMessageContaining("127.0.0.1, which is no public");
        assertThat(git.asked).hasValue(before);
    }

    @Test
    void more_than_one_address_may_bring_is_not_taken() {
        assertThatThrownBy(() -> had(git.address("/x.git"), new Limits(200_000, Duration.ofHours(1))))
                .hasMessageContaining("--data-size");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void folders_without_end_are_counted_as_files_are() throws Exception {
        git.sh("t=$(git mktree </dev/null); for i in $(seq 60); do"
                + " t=$(printf '040000 tree %s\\ta\\n040000 tree %s\\tb\\n' $t $t | git mktree); done;"
                + " git push -qf ../x.git $(git commit-tree -m deep $t):refs/heads/deep");
        assertThatThrownBy(() -> had(git.address("/x.git#deep")))
                .hasMessageContaining("more than 50000 files and folders");
    }

    @Test
    void a_folder_of_more_files_than_a_piece_holds_and_a_large_difference_are_read() throws Exception {
        git.sh("e=$(git hash-object -w --stdin </dev/null) && seq -f %030g 40000"
                + " | sed \"s/.*/100644 blob $e\\t&/\" | git mktree > ../wide && head -c 3000000 /dev/urandom > ../large"
                + " && l=$(git hash-object -w ../large) && echo x >> ../large && m=$(git hash-object -w ../large)"
                + " && t=$(printf '100644 blob %s\\tl\\n100644 blob %s\\tm\\n040000 tree %s\\twide\\n' $l $m $(cat ../wide) | git mktree)"
                + " && git push -qf ../x.git $(git commit-tree -m wide $t):refs/heads/wide");
        assertThat(had(git.address("/x.git#wide")))
                .hasSize(40_002)
                .containsEntry("l", "long 3000000")
                .containsEntry("m", "long 3000002");
    }

    @ParameterizedTest
    @ValueSource(strings = {".git", ".GIT", "git~1", "..", ".g\\u200cit"})
    void names_that_would_be_gits_own_are_refused(String name) throws Exception {
        String said = git.sh("b=$(echo x | git hash-object -w --stdin)"
                + " && t=$(printf '100644 %b\\0' '" + name + "' > ../t && echo $b | xxd -r -p >> ../t"
                + " && git hash-object -t tree -w --literally ../t)"
                + " && c=$(git commit-tree -m evil $t) && git push -qf ../x.git $c:refs/heads/evil && echo $c");
        assertThat(said).isNotBlank();
        assertThatThrownBy(() -> had(git.address("/x.git#evil"))).hasMessageContaining("whose name none can have");
    }

    @ParameterizedTest
    @CsvSource({
        "a/b, ../c, true",
        "a/b, c/d, true",
        "b, ..foo, true",
        "a/b, .., true",
        "b, .., false",
        "b, ../c, false",
        "a/b, ../../c, false",
        "a/b, c/../../.., false",
        "b, c/.., false",
        "b, /etc, false",
    })
    void a_link_stays_in_its_repository(String path, String leads, boolean inside) {
        assertThat(Unpacked.isInside(Place.of(path), leads)).isEqualTo(inside);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://a.example/x.git#--upload-pack=x",
                "https://a.example/x.git#a..b",
                "https://a.example/x.git?a=b",
                "https://a.example/x.git#a b"
            })
    void what_is_no_revision_is_told(String address) {
        assertThatThrownBy(() -> Wanted.of(address)).hasMessageMatching("(?s).*(no branch|no “\\?”|is none).*");
    }
}
