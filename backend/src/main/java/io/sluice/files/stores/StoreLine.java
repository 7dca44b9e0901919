package io.sluice.files.stores;

import io.sluice.files.stores.StoreFault.Why;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/** A store as somebody may use it. Every call waits for the store, and none longer than its limits; who asks tries again. */
public final class StoreLine implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration CALL = Duration.ofMinutes(15);
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final String UNQUOTED = "^\"|\"$";

    /** An object that is coming. */
    public record Coming(InputStream body, Stored object, boolean tellsDigest) implements AutoCloseable {
        @Override
        public void close() throws java.io.IOException {
            body.close();
        }
    }

    /** Some of what there is; {@code next} null: that was all. */
    public record Page(List<Stored> objects, @Nullable String next) {}

    /** A part of an object that is on its way there. */
    public record Part(int number, String etag) {}

    private final StoreAddress store;
    private final S3Client client;

    private StoreLine(StoreAddress store, S3Client client) {
        this.store = store;
        this.client = client;
    }

    /** It asks nothing yet. */
    public static StoreLine open(StoreAddress store, AccessKey key) {
        return new StoreLine(
                store,
                S3Client.builder()
                        .endpointOverride(store.endpoint())
                        .region(Region.of(store.region()))
                        .credentialsProvider(
                                StaticCredentialsProvider.create(AwsBasicCredentials.create(key.id(), key.secret())))
                        .httpClientBuilder(UrlConnectionHttpClient.builder()
                                .connectionTimeout(CONNECT)
                                .socketTimeout(SILENCE))
                        // checksums of Amazon's own are more than most stores know
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .forcePathStyle(!store.inHost())
                        .serviceConfiguration(S3Configuration.builder()
                                .chunkedEncodingEnabled(false)
                                .build())
                        // nothing of what the gateway's own user has set up counts
                        .overrideConfiguration(with -> with.retryStrategy(AwsRetryStrategy.doNotRetry())
                                // what is written is in no other way limited: a store may take it and read nothing
                                .apiCallAttemptTimeout(CALL)
                                .defaultProfileFile(ProfileFile.aggregator().build()))
                        .build());
    }

    /** @param after what the page before had as its next, null: from the beginning */
    public Page list(Stores.Place place, @Nullable String after) throws StoreFault {
        var answer = asked(
                place,
                () -> client.listObjectsV2(with -> with.bucket(place.bucket())
                        .prefix(place.prefix().isEmpty() ? null : place.prefix())
                        .continuationToken(after)));
        List<Stored> objects = new ArrayList<>();
        for (S3Object one : answer.contents()) {
            if (place.has(one.key())) {
                objects.add(new Stored(one.key(), one.size(), unquoted(one.eTag()), one.lastModified()));
            }
        }
        return new Page(objects, Boolean.TRUE.equals(answer.isTruncated()) ? answer.nextContinuationToken() : null);
    }

    private static String unquoted(@Nullable String etag) {
        return etag == null ? "" : etag.replaceAll(UNQUOTED, "");
    }

    /** As it is now; empty: there is none. */
    public Optional<Stored> look(Stores.Place place, String key) throws StoreFault {
        try {
            var found = asked(
                    place,
                    () -> client.headObject(with -> with.bucket(place.bucket()).key(key)));
            return Optional.of(new Stored(key, found.contentLength(), unquoted(found.eTag()), found.lastModified()));
        } catch (StoreFault fault) {
            if (fault.why() == Why.NO_OBJECT) {
                return Optional.empty();
            }
            throw fault;
        }
    }

    /** Whether what is told of it is of what nobody sees. */
    public boolean isEncrypted(Stores.Place place, String key) throws StoreFault {
        var found = asked(
                place,
                () -> client.headObject(with -> with.bucket(place.bucket()).key(key)));
        return found.sseCustomerAlgorithm() != null || isEncrypted(found.serverSideEncryption());
    }

    private static boolean isEncrypted(@Nullable ServerSideEncryption how) {
        return how == ServerSideEncryption.AWS_KMS || how == ServerSideEncryption.AWS_KMS_DSSE;
    }

    /** Just the object that was listed, from there on. A whole one is compared with its checksum, where the store keeps one, and breaks at its end if it differs. */
    public Coming read(Stores.Place place, Stored object, long from) throws StoreFault {
        var coming = asked(
                place,
                () -> client.getObject(with -> with.bucket(place.bucket())
                        .key(object.key())
                        .ifMatch('"' + object.etag() + '"')
                        .checksumMode(from > 0 ? null : ChecksumMode.ENABLED)
                        .range(from > 0 ? "bytes=" + from + "-" : null)));
        var told = coming.response();
        boolean same = unquoted(told.eTag()).equals(object.etag()) && told.contentLength() == object.size() - from;
        if (!same) {
            coming.abort();
            throw new StoreFault(Why.CHANGED, object.key() + " in " + place + " has changed since it was listed.");
        }
        // encrypted with a key of somebody's, the ETag is of what nobody sees
        boolean plain = told.sseCustomerAlgorithm() == null && !isEncrypted(told.serverSideEncryption());
        return new Coming(new Incoming(coming), object, plain && object.tellsDigest());
    }

    /** What opens what is sent, from its beginning. */
    @FunctionalInterface
    public interface Sent {
        InputStream open();
    }

    /** In one piece; the answer is its ETag. The store compares it with the digest before it takes it. */
    public String write(Stores.Place place, String key, long size, String digest, Sent sent) throws StoreFault {
        return unquoted(asked(
                        place,
                        () -> client.putObject(
                                with -> with.bucket(place.bucket()).key(key).contentMD5(digest), body(size, sent)))
                .eTag());
    }

    private static RequestBody body(long size, Sent sent) {
        ContentStreamProvider provider = sent::open;
        return RequestBody.fromContentProvider(provider, size, "application/octet-stream");
    }

    /** Begins an object that goes in parts. */
    public String begin(Stores.Place place, String key) throws StoreFault {
        return asked(
                        place,
                        () -> client.createMultipartUpload(
                                with -> with.bucket(place.bucket()).key(key)))
                .uploadId();
    }

    /** The parts that are there; none also where the store does not tell. */
    public Map<Integer, Part> parts(Stores.Place place, String key, String upload) throws StoreFault {
        try {
            Map<Integer, Part> all = new java.util.HashMap<>();
            asked(place, () -> {
                client.listPartsPaginator(
                                with -> with.bucket(place.bucket()).key(key).uploadId(upload))
                        .parts()
                        .forEach(
                                part -> all.put(part.partNumber(), new Part(part.partNumber(), unquoted(part.eTag()))));
                return all;
            });
            return all;
        } catch (StoreFault fault) {
            if (fault.isPassing() || fault.why() == Why.CREDENTIALS || fault.why() == Why.NO_UPLOAD) {
                throw fault;
            }
            return Map.of();
        }
    }

    /** The parts that are there are thrown away. */
    public void abort(Stores.Place place, String key, String upload) throws StoreFault {
        try {
            asked(
                    place,
                    () -> client.abortMultipartUpload(
                            with -> with.bucket(place.bucket()).key(key).uploadId(upload)));
        } catch (StoreFault fault) {
            if (fault.why() != Why.NO_UPLOAD && fault.why() != Why.NO_OBJECT) {
                throw fault;
            }
        }
    }

    public Part part(Stores.Place place, String key, String upload, int number, long size, String digest, Sent sent)
            throws StoreFault {
        var answer = asked(
                place,
                () -> client.uploadPart(
                        with -> with.bucket(place.bucket())
                                .key(key)
                                .uploadId(upload)
                                .partNumber(number)
                                .contentMD5(digest),
                        body(size, sent)));
        return new Part(number, unquoted(answer.eTag()));
    }

    /** The answer is the ETag of the whole. */
    public String finish(Stores.Place place, String key, String upload, List<Part> parts) throws StoreFault {
        var all = parts.stream()
                .map(part -> CompletedPart.builder()
                        .partNumber(part.number())
                        .eTag('"' + part.etag() + '"')
                        .build())
                .toList();
        return unquoted(asked(
                        place,
                        () -> client.completeMultipartUpload(with -> with.bucket(place.bucket())
                                .key(key)
                                .uploadId(upload)
                                .multipartUpload(whole -> whole.parts(all))))
                .eTag());
    }

    private <T> T asked(Stores.Place place, Supplier<T> call) throws StoreFault {
        try {
            return call.get();
        } catch (AwsServiceException e) {
            throw told(place, e);
        } catch (SdkException | java.io.UncheckedIOException e) {
            throw new StoreFault(
                    Why.AWAY, "Store " + store.name() + " at " + store.endpoint() + " does not answer: " + root(e), e);
        }
    }

    private static String root(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
    }

    private StoreFault told(Stores.Place place, AwsServiceException e) {
        String code = e.awsErrorDetails() == null
                ? ""
                : String.valueOf(e.awsErrorDetails().errorCode());
        String where = " Look at what you have written under Stores on your profile page.";
        return switch (code) {
            case "ExpiredToken", "InvalidToken" ->
                new StoreFault(
                        Why.CREDENTIALS,
                        "Store " + store.name() + " takes the access key no longer (" + code + ")." + where,
                        e);
            case "RequestTimeTooSkewed" ->
                new StoreFault(
                        Why.REFUSED,
                        "The clocks of this gateway and of store " + store.name()
                                + " differ too much. Ask your administrator to set them.",
                        e);
            case "AuthorizationHeaderMalformed" ->
                new StoreFault(
                        Why.REFUSED,
                        "Store " + store.name() + " does not take what is signed for region " + store.region() + " ("
                                + code
                                + "). Ask your administrator to write the region that it wants behind its address, as ?region=.",
                        e);
            case "InvalidAccessKeyId", "SignatureDoesNotMatch" ->
                new StoreFault(
                        Why.CREDENTIALS,
                        "Store " + store.name() + " does not know the access key, or its secret is another (" + code
                                + ")." + where,
                        e);
            case "NoSuchBucket" ->
                new StoreFault(
                        Why.NO_BUCKET, "There is no bucket " + place.bucket() + " in store " + store.name() + ".", e);
            case "NoSuchUpload" ->
                new StoreFault(
                        Why.NO_UPLOAD, "An upload to " + place + " is finished, or its parts were thrown away.", e);
            case "PreconditionFailed" ->
                new StoreFault(Why.CHANGED, "An object in " + place + " has changed since it was listed.", e);
            case "BadDigest" -> new StoreFault(Why.BROKEN, "What arrived in " + place + " is not what was sent.", e);
            default -> told(place, code, e);
        };
    }

    private StoreFault told(Stores.Place place, String code, AwsServiceException e) {
        String said = "Store " + store.name() + " answered " + e.statusCode() + (code.isEmpty() ? "" : " " + code);
        return switch (e.statusCode()) {
            case 401, 403 ->
                new StoreFault(Why.FORBIDDEN, said + ": your access key may not do this in " + place + ".", e);
            case 404 -> new StoreFault(Why.NO_OBJECT, said + " in " + place + ".", e);
            case 412 -> new StoreFault(Why.CHANGED, said + ": an object in " + place + " has changed.", e);
            case 408, 429, 500, 502, 503, 504 -> new StoreFault(Why.AWAY, said + ".", e);
            default -> new StoreFault(Why.REFUSED, said + " for " + place + ".", e);
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
