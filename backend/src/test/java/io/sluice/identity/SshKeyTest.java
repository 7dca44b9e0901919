package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.identity.People.SshKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SshKeyTest {
    /** Made by ssh-keygen, with the fingerprint that it prints. */
    private static final List<Map.Entry<String, String>> REAL = List.of(
            Map.entry(
                    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOj7NpS7bJsbEQ+A9SPrMg+ZP+HNUXDQlOM15BGHl0WH li@ed25519-0",
                    "SHA256:N3atR9Zm9xd+z1ttG0gu/WbwOFl09A1zCnZQiIQhy8U"),
            Map.entry(
                    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBM+I8q9KYLf5RKT2wK/dJjeuI9e0KsGcOdGTfhkNmkaS3iWzUDU3J79OXVsAxHLI7hfGvRHkFiDpccA+Ijr2wOQ= li@ecdsa-256",
                    "SHA256:fMizfdVtFfYaga79IlGlHGj/3IMRpDYn/2gIKBxnEMk"),
            Map.entry(
                    "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBF0hPgaTBalaZX41b4dAGkmuox4RAlN/Wb5C0HzxFByQW33bR2LzDl9XB8G37Quclx7mjJ+jU7O6eHKy74KuzIQjNMMNZ6A8ijsZb5f2U8CPUerlkwTaHIc3XIGVLJYy4Q== li@ecdsa-384",
                    "SHA256:EEMXYoWudgvjkYcNONnVbBV9iOmHGKhDDFe+MyfWLGU"),
            Map.entry(
                    "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAEdW/XiwSatRgHo1H4kNq3nWLe8d8HQrjgAjFtz+V49qTQrwz8qizP6rKwYJcR35RfqALruTl/srPbv/oHilAOiaQFZyKI1ANNT1Y1XsYyOZIUg1zymqd69eaQ+NXR9qDyaBYT84RsPaSveHWtvcCVY8H18SWMOkgCUzWjtLUwWmkRM6g== li@ecdsa-521",
                    "SHA256:cpgZJRQhfIofpfGvMRt9KoxdJqGSP983l+JTYUUr+wE"),
            Map.entry(
                    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDOlK8B95Py1IsxC5DUuHL+KgUn1EIUQu+nTR9wvvJbKxtVxlU9wgbRcV8JR7p5nOAsbCJhKQwrdOJIfKoHsMsfwLx5g7VIAROkp0oBgpe+ljwCKCtBu9j7FhskOivCRB+TWy1bB7p3kaSPDY193AJ2czyIXF4nDSEwhPah3zUi2d5dzzu96PeoHdkaAfQ21ZZI7nMp2kcDTjX4p/BcbTW+qU1rVupZuFXqPLxBiEYSjXHRrFEsx3Vgo9hk33ei53l4JvqYuShp6FTks7HhlQUx33bLCdUKkqYhFBGLmf0uZVzq4ksa8bUYOMzdTz/ZqqtPOXsBF4GHWiDGC4gH3zNJ li@rsa-2048",
                    "SHA256:HL6DcMnk3ey7uOB50qMckVKIla6ViY+dnGnmjpeLoOI"));

    private static final String WEAK =
            "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC6J5MZQPEC3qGoaVw/leIyRjQYUajj+ivxSaUvgjHuLm0i+/Ez0aRxGNLfitPlXEla1NLzfRHAYgY0PzX2FyMqHRJcC3h5cI1XcgodECtn+Ts5OC/NCK3ohzDUHTdU2tLUMjPLWU7AzGNYHrMc6s31y9GI0QVNNTYpU4VmUaPTmw== li@rsa-1024";

    private static SshKey parse(String text) {
        return SshKey.parse(text, "");
    }

    private static String fault(String text) {
        var unfit = catchThrowableOfType(SshKey.Unfit.class, () -> parse(text));
        assertThat(unfit).as(text).isNotNull();
        return unfit.fault;
    }

    private static String key(String kind, byte[]... fields) {
        var blob = ByteBuffer.allocate(1_000);
        put(blob, kind.getBytes(StandardCharsets.US_ASCII));
        List.of(fields).forEach(field -> put(blob, field));
        byte[] bytes = new byte[blob.position()];
        blob.flip().get(bytes);
        return kind + " " + Base64.getEncoder().encodeToString(bytes);
    }

    private static void put(ByteBuffer blob, byte[] field) {
        blob.putInt(field.length).put(field);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void fingerprints_are_as_ssh_keygen_prints_them() {
        for (var real : REAL) {
            SshKey key = parse("  " + real.getKey() + "\n");
            assertThat(key.fingerprint()).isEqualTo(real.getValue());
            assertThat(key.kind() + " " + key.name()).isEqualTo(real.getKey().replaceAll(" \\S+ ", " "));
            assertThat(real.getKey()).startsWith(key.body());
        }
    }

    @Test
    void keys_on_a_stick_are_taken() {
        String ed = "sk-ssh-ed25519@openssh.com";
        assertThat(parse(key(ed, new byte[32], text("ssh:"))).kind()).isEqualTo(ed);
        String ecdsa = "sk-ecdsa-sha2-nistp256@openssh.com";
        assertThat(parse(key(ecdsa, text("nistp256"), new byte[65], text("ssh:")))
                        .kind())
                .isEqualTo(ecdsa);
    }

    @Test
    void a_name_is_taken_before_a_comment() {
        assertThat(SshKey.parse(REAL.getFirst().getKey(), " laptop ").name()).isEqualTo("laptop");
        assertThat(parse(REAL.getFirst().getKey().replaceAll(" li@.*", "")).name())
                .isEqualTo("ssh-ed25519");
        assertThat(parse(REAL.getFirst().getKey() + " " + "x".repeat(200)).name())
                .hasSize(60);
    }

    @Test
    void what_is_no_public_key_is_refused() {
        String ed = REAL.getFirst().getKey();
        for (String text : List.of(
                "",
                "ssh-ed25519",
                "ssh-ed25519 ",
                "ssh-ed25519 !!!",
                "ssh-ed25519 AAAA",
                "ssh-rsa " + ed.split(" ")[1],
                ed.replace("ssh-ed25519 ", "ssh-dss "),
                ed.substring(0, 60),
                ed + "\n" + ed,
                "command=\"rm -rf /\" " + ed,
                "no-pty " + ed,
                "-----BEGIN PUBLIC KEY-----",
                key("ssh-ed25519", new byte[31]),
                key("ssh-ed25519"),
                key("ssh-rsa", new byte[] {3}),
                key("ssh-dss", new byte[128], new byte[20]),
                key("ssh-rsa", new byte[] {1, 0, 1}, new byte[257], new byte[1]))) {
            assertThat(fault(text)).as(text).isIn("fault.key", "fault.keyWeak");
        }
    }

    @Test
    void a_weak_key_and_a_private_key_are_told_so() {
        assertThat(fault(WEAK)).isEqualTo("fault.keyWeak");
        assertThat(fault("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----"))
                .isEqualTo("fault.keyPrivate");
    }
}
