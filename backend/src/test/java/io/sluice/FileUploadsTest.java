package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** Uploads over tus. */
class FileUploadsTest extends AtFileCentre {
    @Test
    void the_old_content_stays_whole_until_the_new_is_there() throws IOException {
        byte[] bytes = random(2_000_003);
        Path file = own("data/set.bin", "old");
        String upload = ada.upload("data/set.bin", bytes.length, true);
        int at = 0;
        for (int end : new int[] {1, bytes.length / 2, (int) (bytes.length * 0.999)}) {
            var answer = ada.piece(upload, at, Arrays.copyOfRange(bytes, at, end));
            assertThat(answer.statusCode()).isEqualTo(204);
            at = end;
            assertThat(ada.offset(upload)).isEqualTo(at);
            assertThat(file).hasContent("old");
        }
        assertThat(ada.piece(upload, at - 1, new byte[1]).statusCode()).isEqualTo(409);
        assertThat(ada.piece(upload, at, new byte[bytes.length - at + 1]).statusCode())
                .isEqualTo(400);
        assertThat(ada.piece(upload, at, Arrays.copyOfRange(bytes, at, bytes.length))
                        .statusCode())
                .isEqualTo(204);
        assertThat(file).hasBinaryContent(bytes);
        assertThat(ada.offset(upload)).as("whoever missed the last answer asks").isEqualTo(bytes.length);
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(Files.getAttribute(ada.home(), "unix:uid"));
    }

    @Test
    void a_line_that_breaks_leaves_what_came_and_the_upload_goes_on() throws Exception {
        byte[] bytes = random(3_000_000);
        String upload = ada.upload("broken/file", bytes.length, false);
        URI address = URI.create(server.address());
        try (var socket = new Socket(address.getHost(), address.getPort())) {
            String head = "PATCH " + upload + " HTTP/1.1\r\nHost: " + address.getAuthority()
                    + "\r\nAuthorization: Bearer " + ada.bearer
                    + "\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream"
                    + "\r\nContent-Length: " + bytes.length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(bytes, 0, 2_000_000);
            socket.getOutputStream().flush();
            Path slots = ada.home().resolve(".sluice/uploads");
            Path arrived =
                    slots.resolve(upload.substring(upload.lastIndexOf('/') + 1)).resolve("data");
            while (Files.size(arrived) < 1_000_000) {
                Thread.onSpinWait();
            }
        }
        int offset = (int) ada.offset(upload);
        assertThat(offset).isBetween(1_000_000, 2_000_000);
        assertThat(ada.piece(upload, offset, Arrays.copyOfRange(bytes, offset, bytes.length))
                        .statusCode())
                .isEqualTo(204);
        assertThat(ada.home().resolve("broken/file")).hasBinaryContent(bytes);
    }

    @Test
    void a_piece_that_is_not_what_its_checksum_says_is_dropped() throws Exception {
        byte[] bytes = random(1_000_000);
        String upload = ada.upload("sum", bytes.length, false);
        String sum = "sha256 "
                + Base64.getEncoder()
                        .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));

        assertThat(ada.piece(upload, 0, new byte[bytes.length], "Upload-Checksum", sum)
                        .statusCode())
                .isEqualTo(460);
        assertThat(ada.offset(upload)).isZero();
        assertThat(ada.home().resolve("sum")).doesNotExist();
        assertThat(ada.piece(upload, 0, bytes, "Upload-Checksum", "crc9 AAAA").statusCode())
                .isEqualTo(400);
        assertThat(ada.piece(upload, 0, bytes, "Upload-Checksum", sum).statusCode())
                .isEqualTo(204);
        assertThat(ada.home().resolve("sum")).hasBinaryContent(bytes);
    }

    @Test
    void of_two_uploads_to_one_name_one_is_there_and_the_other_is_told() {
        String first = ada.upload("same", 3, false);
        String second = ada.upload("same", 3, false);

        assertThat(ada.piece(first, 0, "one".getBytes(StandardCharsets.US_ASCII))
                        .statusCode())
                .isEqualTo(204);
        assertThat(ada.piece(second, 0, "two".getBytes(StandardCharsets.US_ASCII))
                        .statusCode())
                .isEqualTo(409);
        assertThat(ada.home().resolve("same")).hasContent("one");
        assertThat(ada.begin("same", 3, false).statusCode()).isEqualTo(409);
        assertThat(ada.send("DELETE", second, BodyPublishers.noBody(), "Tus-Resumable", "1.0.0")
                        .statusCode())
                .isEqualTo(204);
        assertThat(ada.offset(second)).isEqualTo(-404);
    }

    @Test
    void an_empty_file_is_there_at_once_and_a_lie_about_tus_is_refused() {
        ada.upload("empty", 0, false);
        assertThat(ada.home().resolve("empty")).isEmptyFile();
        assertThat(ada.begin(".sluice/uploads/x", 1, true).statusCode()).isEqualTo(404);
        assertThat(ada.send("POST", "/api/v2/uploads", BodyPublishers.noBody()).statusCode())
                .isEqualTo(412);
        var options = ada.send("OPTIONS", "/api/v2/uploads", BodyPublishers.noBody());
        assertThat(options.headers().firstValue("Tus-Extension")).hasValue("creation,checksum,termination,expiration");
    }
}
