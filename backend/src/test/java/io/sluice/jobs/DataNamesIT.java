package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.data.HostileListing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Names in stores that files can not have. */
class DataNamesIT extends AtStores {
    @Test
    void a_file_that_would_have_to_be_a_folder_too_fails_the_job() {
        try (var hostile = new HostileListing(List.of("x/a", "x/a/b"))) {
            use(hostile.stores());
            desk.submit("ada", input("both", "s3://lab/x"));
            assertThat(failure("both")).contains("“x/a” and “x/a/b”", "a file and a folder at once");
        }
    }

    @Test
    void objects_that_would_have_one_name_are_both_named() {
        try (var hostile = new HostileListing(List.of("train", "train/data/a", "train/train"))) {
            use(hostile.stores());
            desk.submit("ada", input("same", "s3://lab/train"));
            assertThat(failure("same")).contains("“train” and “train/train” in s3://near/lab would be one name here.");
        }
    }

    @Test
    void a_name_that_only_begins_as_another_does_is_no_clash() {
        try (var hostile = new HostileListing(List.of("t/a", "t/a-b/c", "t/a.b", "t/ab/a"))) {
            use(hostile.stores());
            desk.submit("ada", input("alike", "s3://lab/t"));
            desk.running(1);
            assertThat(input("alike").resolve("a-b/c")).hasContent("x");
        }
    }

    @Test
    void names_that_no_file_can_have_are_refused_before_anything_is_written() throws IOException {
        List<String> keys = new ArrayList<>(
                List.of("x/../../../escape", "x//etc/passwd", "x/./a", "x/..", "x/a\u0000b", "x/" + "n".repeat(300)));
        keys.add("x/"
                + String.join("/", IntStream.range(0, 250).mapToObj(i -> "d").toList()));
        try (var hostile = new HostileListing(keys)) {
            use(hostile.stores());
            desk.submit("ada", input("hostile", "s3://lab/x"));
            assertThat(failure("hostile")).contains(keys.size() + " of the objects", "../../../escape");
        }
        try (var names = Files.walk(desk.data())) {
            assertThat(names.map(Path::toString)).noneMatch(name -> name.contains("escape"));
        }
    }
}
