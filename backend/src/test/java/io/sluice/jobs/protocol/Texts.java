package io.sluice.jobs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Jobs for tests, and what reading them came to. */
public final class Texts {
    public static final String V2 = of("whole-v2.yaml");
    public static final String V1 = of("whole-v1.json");
    /** The least there can be of each. */
    public static final String LEAST_V2 = of("least-v2.yaml");

    public static final String LEAST_V1 = of("least-v1.json");

    private Texts() {}

    public static String of(String name) {
        try (var stream = Texts.class.getResourceAsStream("/jobs/" + name)) {
            return new String(Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<String> shared() {
        return Stream.of("cifar.json", "hello.json", "imagenet.json", "mnist.json");
    }

    static Read.Accepted accepted(String text) {
        Read read = Protocols.read(text);
        String why = read instanceof Read.Refused refused ? refused.message() : "";
        assertThat(read).as(why).isInstanceOf(Read.Accepted.class);
        return (Read.Accepted) read;
    }

    public static JobSpec spec(String text) {
        return accepted(text).spec();
    }

    static Read.Refused refused(String text) {
        Read read = Protocols.read(text);
        assertThat(read).isInstanceOf(Read.Refused.class);
        return (Read.Refused) read;
    }

    static List<Fault> faults(String text) {
        return refused(text).faults();
    }
}
