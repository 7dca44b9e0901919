package io.sluice.jobs.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.stores.AccessKey;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the tests' store takes and refuses. */
class SignaturesTest {
    /** The example that Amazon's description of signatures ends with. */
    private static final String EXAMPLE = """
            GET /test.txt HTTP/1.1
            Host: examplebucket.s3.amazonaws.com
            Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
            SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,\
            Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41
            Range: bytes=0-9
            x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
            x-amz-date: 20130524T000000Z

            """;

    private static final AccessKey KEY =
            new AccessKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");

    private static String fault(AccessKey key, String text, String now) {
        return new Signatures(key, "us-east-1").fault(Asking.of(text.replace("\n", "\r\n")), Instant.parse(now));
    }

    @Test
    void the_example_of_amazon_is_right() {
        assertThat(fault(KEY, EXAMPLE, "2013-05-24T00:14:00Z")).isEmpty();
        assertThat(fault(KEY, EXAMPLE, "2013-05-24T00:16:00Z")).isEqualTo("RequestTimeTooSkewed");
        assertThat(fault(new AccessKey(KEY.id(), "another"), EXAMPLE, "2013-05-24T00:00:00Z"))
                .isEqualTo("SignatureDoesNotMatch");
    }

    @ParameterizedTest(name = "{0} > {1}")
    @CsvSource({
        "bytes=0-9, bytes=0-8, SignatureDoesNotMatch",
        "/test.txt, /text.txt, SignatureDoesNotMatch",
        "GET, PUT, SignatureDoesNotMatch",
        "Host: example, Host: other, SignatureDoesNotMatch",
        "AKIAIOSFODNN7EXAMPLE, SOMEBODY, InvalidAccessKeyId",
        "us-east-1, eu-west-1, AuthorizationHeaderMalformed",
        "20130524T, 20130523T, AuthorizationHeaderMalformed",
        "x-amz-date:, 'x-amz-acl: public-read\nx-amz-date:', AccessDenied",
        "Authorization, X-Nothing, AccessDenied",
    })
    void what_differs_in_anything_is_refused(String there, String instead, String code) {
        assertThat(fault(KEY, EXAMPLE.replace(there, instead), "2013-05-24T00:00:00Z"))
                .isEqualTo(code);
    }
}
