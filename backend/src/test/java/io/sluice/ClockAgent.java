package io.sluice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.time.Instant;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * Sets the clock of one JVM: what asks for the time of day is told another, by as much as a file says at that moment. The gateway's classes
 * are as they are shipped but for these calls; how long something takes is measured by another clock, which nobody can set.
 */
public final class ClockAgent {
    private static final String OURS = "io/sluice/ClockAgent";

    private static volatile Path offset = Path.of("");

    private ClockAgent() {}

    /** A jar that names this class, which is on the class path of who is started with it. */
    static Path jar(Path folder) throws IOException {
        Path jar = folder.resolve("clock.jar");
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", ClockAgent.class.getName());
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }

    public static void premain(String file, Instrumentation jvm) {
        offset = Path.of(file);
        jvm.addTransformer(new ClassFileTransformer() {
            @Override
            public byte @Nullable [] transform(
                    @Nullable ClassLoader loader,
                    String name,
                    @Nullable Class<?> before,
                    @Nullable ProtectionDomain domain,
                    byte[] bytes) {
                boolean asks = name.startsWith("io/sluice/") || name.startsWith("io/vertx/");
                return asks && !name.equals(OURS) ? told(bytes) : null;
            }
        });
    }

    private static byte[] told(byte[] bytes) {
        var reader = new ClassReader(bytes);
        var writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access,
                            String name,
                            String type,
                            @Nullable String generic,
                            String @Nullable [] thrown) {
                        return new Calls(super.visitMethod(access, name, type, generic, thrown));
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class Calls extends MethodVisitor {
        Calls(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int code, String owner, String name, String type, boolean isInterface) {
            boolean asks = (owner.equals("java/time/Instant") && name.equals("now") && type.startsWith("()"))
                    || (owner.equals("java/lang/System") && name.equals("currentTimeMillis"));
            super.visitMethodInsn(code, asks ? OURS : owner, name, type, isInterface);
        }
    }

    public static Instant now() {
        return Instant.now().plus(offset());
    }

    public static long currentTimeMillis() {
        return System.currentTimeMillis() + offset().toMillis();
    }

    private static Duration offset() {
        try {
            return Duration.parse(Files.readString(offset).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
