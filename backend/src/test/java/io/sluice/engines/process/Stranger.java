package io.sluice.engines.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A program that is neither the gateway's nor a task's, and holds a port. */
final class Stranger implements AutoCloseable {
    private final Process process;
    private final int port;

    Stranger() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        process = new ProcessBuilder(
                        java, "-XX:TieredStopAtLevel=1", "-cp", "target/test-classes", Stranger.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        port = Integer.parseInt(said.readLine());
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Holds a port until its input ends. */
    public static void main(String[] none) throws IOException {
        try (var held = new ServerSocket(0)) {
            System.out.println(held.getLocalPort());
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }
}
