package io.sluice.jobs.data.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Who vouches for servers, beside those that Java trusts.
 *
 * @param more than these
 */
public record Authorities(List<X509Certificate> more) {
    public static final Authorities USUAL = new Authorities(List.of());

    public Authorities {
        more = List.copyOf(more);
    }

    /** Out of a file with certificates as PEM; null: none. */
    public static Authorities read(@Nullable Path file, List<String> faults) {
        if (file == null) {
            return USUAL;
        }
        try (var in = Files.newInputStream(file)) {
            List<X509Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            if (!all.isEmpty()) {
                return new Authorities(all);
            }
            faults.add("--data-ca " + file + " holds no certificate. Give a PEM file of your authority's.");
        } catch (IOException | GeneralSecurityException e) {
            faults.add("--data-ca " + file + " can not be read: " + e.getMessage()
                    + ". Give a PEM file of your authority's certificates.");
        }
        return USUAL;
    }

    TrustManager trust() {
        try {
            KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
            all.load(null, null);
            int count = 0;
            for (X509Certificate one : Stream.concat(Arrays.stream(usual().getAcceptedIssuers()), more.stream())
                    .toList()) {
                all.setCertificateEntry(Integer.toString(count++), one);
            }
            return of(all);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("Java's own trust can not be had", e);
        }
    }

    private static X509TrustManager usual() throws GeneralSecurityException {
        return of(null);
    }

    private static X509TrustManager of(@Nullable KeyStore store) throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return Arrays.stream(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .findFirst()
                .orElseThrow();
    }
}
