package io.sluice;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.SshException;
import org.apache.sshd.common.keyprovider.FileKeyPairProvider;
import org.jspecify.annotations.Nullable;

/** A client that says what OpenSSH's does not: signals, and names that nobody has. */
final class SshGuest implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final SshClient client;
    private final ClientSession session;

    SshGuest(int port, String name, Path key) throws IOException {
        client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
        client.start();
        try {
            session = client.connect(name, "127.0.0.1", port).verify(LIMIT).getSession();
            new FileKeyPairProvider(key).loadKeys(null).forEach(session::addPublicKeyIdentity);
            session.auth().verify(LIMIT);
        } catch (IOException | RuntimeException e) {
            client.stop();
            throw e;
        }
    }

    static boolean isLetIn(int port, String name, Path key) throws IOException {
        try (var guest = new SshGuest(port, name, key)) {
            return guest.session.isAuthenticated();
        } catch (SshException | IllegalArgumentException refused) {
            return false;
        }
    }

    /** @param size of the terminal; null: none */
    Program run(String command, int @Nullable [] size) throws IOException {
        ChannelExec channel = session.createExecChannel(command);
        var program = new Program(channel);
        channel.setOut(program.output);
        channel.setErr(program.output);
        if (size != null) {
            channel.setUsePty(true);
            channel.setPtyColumns(size[0]);
            channel.setPtyLines(size[1]);
        }
        channel.open().verify(LIMIT);
        return program;
    }

    final class Program {
        private final ChannelExec channel;
        private final ByteArrayOutputStream output = new ByteArrayOutputStream();

        Program(ChannelExec channel) {
            this.channel = channel;
        }

        void says(String wanted) {
            try {
                DoorDesk.until(
                        "it says " + wanted,
                        () -> output.toString(StandardCharsets.UTF_8).contains(wanted));
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + ", and not: " + output.toString(StandardCharsets.UTF_8), e);
            }
        }

        void request(String type, String word) throws IOException {
            var buffer = session.createBuffer(SshConstants.SSH_MSG_CHANNEL_REQUEST);
            buffer.putUInt(channel.getRecipient());
            buffer.putString(type);
            buffer.putBoolean(false);
            buffer.putString(word);
            session.writePacket(buffer);
        }

        void resize(int columns, int lines) throws IOException {
            channel.sendWindowChange(columns, lines);
        }

        void types(String keys) throws IOException {
            OutputStream input = channel.getInvertedIn();
            input.write(keys.getBytes(StandardCharsets.UTF_8));
            input.flush();
        }

        @Nullable
        Integer exit() {
            channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), LIMIT);
            return channel.getExitStatus();
        }
    }

    /** Wants new keys, and does not hear what is said to that. */
    void stall() throws IOException {
        session.getIoSession().suspendRead();
        session.reExchangeKeys();
    }

    @Override
    public void close() throws IOException {
        session.close();
        client.stop();
    }
}
