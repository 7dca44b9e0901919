package io.sluice.engines.docker.wire;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the engine listens.
 *
 * @param socket null = by TLS, with {@code certificates}
 */
public record Address(
        @Nullable Path socket,
        String host,
        int port,
        @Nullable Path certificates) {

    private static final List<String> FILES = List.of("ca.pem", "cert.pem", "key.pem");
    private static final int TLS_PORT = 2376;
    private static final String USUAL = "Give unix:///var/run/docker.sock, or where the engine's socket is.";

    /** @throws IllegalArgumentException with one line that says what to give instead */
    public static Address of(String url, @Nullable Path certificates) {
        var uri = parsed(url);
        var scheme = uri.getScheme() == null ? "" : uri.getScheme();
        return switch (scheme) {
            case "unix" -> socket(url, uri);
            case "tcp", "https" -> tls(url, uri, certificates);
            case "http" -> throw plain(url);
            case "ssh" ->
                throw new IllegalArgumentException(
                        url + " is SSH, which is not supported. Forward the socket with ssh -L, and give unix://.");
            default -> throw new IllegalArgumentException(url + " is no address of a Docker engine. " + USUAL);
        };
    }

    private static URI parsed(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(url + " is no address of a Docker engine. " + USUAL, e);
        }
    }

    private static Address socket(String url, URI uri) {
        if (uri.getPath() == null || !uri.getPath().startsWith("/") || uri.getAuthority() != null) {
            throw new IllegalArgumentException(url + " names no file. " + USUAL);
        }
        return new Address(Path.of(uri.getPath()), "docker", 0, null);
    }

    private static Address tls(String url, URI uri, @Nullable Path certificates) {
        if (uri.getHost() == null) {
            throw new IllegalArgumentException(url + " names no machine. Give tcp://HOST:2376.");
        }
        if (certificates == null) {
            throw plain(url);
        }
        for (var file : FILES) {
            if (!Files.isReadable(certificates.resolve(file))) {
                throw new IllegalArgumentException(
                        certificates.resolve(file)
                                + " can not be read. The folder of the engine's certificates has ca.pem, cert.pem and key.pem.");
            }
        }
        return new Address(null, uri.getHost(), uri.getPort() < 0 ? TLS_PORT : uri.getPort(), certificates);
    }

    private static IllegalArgumentException plain(String url) {
        return new IllegalArgumentException(url
                + " would be spoken to without TLS, and whoever reaches an engine is root on its machine. Give its Unix"
                + " socket, or --docker-certs DIR with ca.pem, cert.pem and key.pem.");
    }

    /** Whether it leads to this machine, as far as addresses tell. */
    public boolean isHere() {
        return socket != null || Hosts.ofThisMachine().of(host).stream().anyMatch(Hosts::isOwn);
    }

    @Override
    public String toString() {
        return socket == null ? "tcp://" + host + ":" + port : "unix://" + socket;
    }
}
