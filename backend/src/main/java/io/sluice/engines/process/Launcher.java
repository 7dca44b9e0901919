package io.sluice.engines.process;

import io.sluice.engines.Exports;
import io.sluice.engines.Owner;
import io.sluice.engines.Task;
import io.sluice.engines.process.Runs.Handover;
import io.sluice.engines.process.exec.Listeners;
import io.sluice.engines.process.shell.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes down what a supervisor must know, and starts one, detached from this process and its terminal. */
final class Launcher {

    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final String SHELL = "/bin/bash";
    private static final String HOME = "/userhome";
    private static final String PROGRAMS = "programs";

    private final Path programs;
    private final Runs runs;
    private final Isolation isolation;
    private final TaskRoot root;
    private final int user;
    private final int group;
    private final Handover handover;
    private final @Nullable Starter starter;

    /** @param warm whether one process that stays starts all, else each start has programs of its own */
    Launcher(Path folder, Runs runs, Isolation isolation, TaskRoot root, boolean warm) throws IOException {
        this.runs = runs;
        this.isolation = isolation;
        this.root = root;
        this.programs = unpack(folder.resolve(PROGRAMS));
        this.user = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        this.group = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
        this.handover = Handover.open(folder);
        this.starter = warm
                ? new Starter(programs.resolve(Starter.PROGRAM), root.skeleton(), handover.folder(), folder)
                : null;
    }

    /** Where what supervises a task is; another version is another folder. */
    Path programs() {
        return programs;
    }

    /** The files of a run's folder, by name. */
    Map<String, String> files(Task task, Cgroups.Grant grant) throws IOException {
        var owner = owner(task);
        var files = new HashMap<>(Map.of("plan", plan(task, grant, owner)));
        if (root.names(owner)) {
            var accounts = root.accounts();
            files.put(TaskRoot.USERS, accounts.users(owner, SHELL));
            files.put(TaskRoot.GROUPS, accounts.groups(owner));
        }
        if (starter == null) {
            boolean apart = isolation != Isolation.NONE;
            files.put("fstab", apart ? root.fstab(runs.folder(task.name()).resolve("root"), task, owner) : "");
        }
        return files;
    }

    /** Only root can become somebody else. */
    private Owner owner(Task task) throws IOException {
        return isolation == Isolation.ROOT ? Owner.of(task) : new Owner(user, group, System.getProperty("user.name"));
    }

    /** For shells: of those who set the task up, and of whoever enters it later. */
    private String plan(Task task, Cgroups.Grant grant, Owner owner) {
        Map<String, Object> plan = new HashMap<>();
        plan.put("name", task.name());
        plan.put("isolation", isolation.name().toLowerCase(Locale.ROOT));
        plan.put("ended", runs.ended());
        plan.put("groups", grant.groups());
        plan.put("memory_events", grant.memoryEvents());
        plan.put("enter", isolation.enter());
        plan.put("into", isolation.into());
        plan.put("owner", owner);
        plan.put("drop", isolation.drop(owner));
        plan.put("skeleton", root.skeleton());
        plan.put("root_options", options(task));
        plan.put("work", work(task));
        plan.put("given", handover.folder(task.name()));
        return Shell.assignments(plan);
    }

    private static String options(Task task) {
        return "mode=755" + (task.memoryMB() == 0 ? "" : ",size=" + task.memoryMB() + "m");
    }

    /** As the starter reads them: lists after the number of their words. */
    private List<String> words(Task task, Cgroups.Grant grant) throws IOException {
        var owner = owner(task);
        var words = new ArrayList<>(List.of(
                task.name(),
                isolation.name().toLowerCase(Locale.ROOT),
                runs.ended().toString(),
                grant.memoryEvents(),
                options(task),
                work(task).toString(),
                Integer.toString(owner.id()),
                Integer.toString(owner.group()),
                task.output().toAbsolutePath().toString(),
                task.script(),
                exports(task, owner),
                Exports.forAll(task.environment())));
        var variables = variables(task, owner);
        variables.putAll(task.environment());
        var environment = variables.entrySet().stream()
                .flatMap(variable -> Stream.of(variable.getKey(), variable.getValue()))
                .toList();
        var groups = grant.groups().stream().map(Path::toString).toList();
        for (var list :
                List.of(groups, environment, root.calls(runs.folder(task.name()).resolve("root"), task, owner))) {
            words.add(Integer.toString(list.size()));
            words.addAll(list);
        }
        return words;
    }

    /** The supervisor, which makes sure itself that it is the run's only one; done when it has ended. */
    CompletableFuture<?> launch(RunFolder run, Task task, Cgroups.Grant grant) throws IOException {
        if (starter == null) {
            handover.put(
                    task.name(),
                    Map.of(
                            "task.sh",
                            task.script(),
                            "environment",
                            exports(task, owner(task)),
                            Task.ENVIRONMENT.substring(1),
                            Exports.forAll(task.environment())));
            return shell(run, task).onExit();
        }
        handover.put(task.name(), Map.of("words", String.join("\0", words(task, grant))));
        if (!Files.exists(task.output())) {
            Files.createFile(task.output());
        }
        return starter.begin(run.path());
    }

    /** All that something was given to. */
    Set<String> given() throws IOException {
        return handover.runs();
    }

    /** What the run was given; one that goes on may need it. */
    void forget(String run) throws IOException {
        handover.forget(run);
    }

    /** Supervisors stay. */
    void close() throws IOException {
        if (starter != null) {
            starter.close();
        }
        handover.close();
    }

    private Process shell(RunFolder run, Task task) throws IOException {
        var output = task.output();
        if (Files.exists(output)) {
            Files.setPosixFilePermissions(output, PosixFilePermissions.fromString("rw-------"));
        }
        var command = new ArrayList<>(List.of("setsid"));
        if (isolation == Isolation.NONE) {
            command.addAll(Starter.keepingOrphans(PATH));
        }
        command.addAll(List.of(
                "bash",
                "-p",
                programs.resolve("supervise").toString(),
                run.path().toString()));
        var builder = new ProcessBuilder(command)
                .directory(run.path().toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        run.path().resolve("supervisor.log").toFile()));
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        task.environment().forEach((name, value) -> {
            if (!Exports.isExportable(name)) {
                builder.environment().put(name, value);
            }
        });
        var process = builder.start();
        // a script that writes to /dev/stdout opens the file again, and would cut off what is in it: now it can not
        Files.setPosixFilePermissions(output, PosixFilePermissions.fromString("r--------"));
        return process;
    }

    /** Ends what is left of a task that had no process namespace, and whose supervisor is gone. */
    void endStrays(String name) throws IOException {
        if (isolation != Isolation.NONE) {
            return;
        }
        var mark = ("SLUICE_TASK=" + name + "\0").getBytes(StandardCharsets.UTF_8);
        ProcessHandle.allProcesses()
                .filter(process -> has(process, new String(mark, StandardCharsets.ISO_8859_1)))
                .forEach(ProcessHandle::destroyForcibly);
    }

    /** Tells a task's processes from all others. */
    Listeners.Membership membership(String name, Incarnation first) throws IOException {
        return isolation == Isolation.NONE ? Listeners.marked("SLUICE_TASK=" + name) : Listeners.besides(first.pid());
    }

    private static boolean has(ProcessHandle process, String mark) {
        try {
            var environ = Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "environ"));
            return ("\0" + new String(environ, StandardCharsets.ISO_8859_1)).contains("\0" + mark);
        } catch (IOException e) {
            // gone, or another user's, which is none of ours
            return false;
        }
    }

    /** Where nothing can be bound, the home is where it is. */
    private Path work(Task task) {
        return task.mounts().stream()
                .filter(mount -> mount.target().equals(HOME))
                .findFirst()
                .map(mount -> isolation == Isolation.NONE ? mount.source() : Path.of(HOME))
                .orElse(Path.of(isolation == Isolation.NONE ? "/tmp" : "/"));
    }

    private String exports(Task task, Owner owner) throws IOException {
        var all = variables(task, owner);
        task.environment().forEach((name, value) -> {
            if (Exports.isExportable(name)) {
                all.put(name, value);
            }
        });
        return "unset BASH_ENV LC_ALL OLDPWD\n" + Exports.of(all);
    }

    /** Those that the task need not name. */
    private Map<String, String> variables(Task task, Owner owner) throws IOException {
        var user = owner.id() == this.user
                ? System.getProperty("user.name")
                : root.accounts().called(owner);
        return new LinkedHashMap<>(Map.of(
                "HOME",
                work(task).toString(),
                "PATH",
                PATH,
                "SHELL",
                SHELL,
                "LANG",
                "C.UTF-8",
                "USER",
                user,
                "LOGNAME",
                user));
    }

    /** A shell reads its script as it goes, so one that is in use must never change: another version is another folder. */
    private static Path unpack(Path folder) throws IOException {
        var texts = new LinkedHashMap<String, byte[]>();
        for (var name : List.of("supervise", "begin", "enter", Starter.PROGRAM)) {
            try (var in = Launcher.class.getResourceAsStream(name)) {
                texts.put(name, Objects.requireNonNull(in, name).readAllBytes());
            }
        }
        int hash = texts.values().stream().map(Arrays::hashCode).toList().hashCode();
        var version = folder.resolve(Integer.toHexString(hash));
        if (!Files.isDirectory(version)) {
            Files.createDirectories(folder);
            var draft = Files.createTempDirectory(folder, "new");
            for (var text : texts.entrySet()) {
                Files.write(draft.resolve(text.getKey()), text.getValue());
            }
            Files.move(draft, version, StandardCopyOption.ATOMIC_MOVE);
        }
        return version;
    }

    /** How far a task is kept apart, and the commands that do it. */
    enum Isolation {
        /** By the rights that root has anyway. The task becomes the owner of its home; if that is root, with only the rights that it takes to unpack an archive. */
        ROOT,
        /** By a user namespace, in which this user may do what it takes; another one inside gives the task its own name back. */
        USER,
        /** The kernel, or who set it up, does not allow it. */
        NONE;

        private static final List<String> FEW_RIGHTS = List.of(
                "setpriv",
                "--inh-caps=-all",
                "--bounding-set=-all,+chown,+fowner,+fsetid,+setuid,+setgid,+kill,+net_bind_service");

        private static List<String> becoming(Owner owner) {
            return List.of(
                    "setpriv",
                    "--reuid=" + owner.id(),
                    "--regid=" + owner.group(),
                    "--clear-groups",
                    "--no-new-privs",
                    "--inh-caps=-all",
                    "--bounding-set=-all");
        }

        /** Runs a command as the first process of new namespaces. */
        List<String> enter() {
            return switch (this) {
                case ROOT -> List.of("unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child=KILL");
                case USER ->
                    List.of(
                            "unshare",
                            "--user",
                            "--map-root-user",
                            "--mount",
                            "--pid",
                            "--ipc",
                            "--fork",
                            "--kill-child=KILL");
                case NONE -> List.of();
            };
        }

        /** Options of nsenter that lead to the processes inside. */
        List<String> into() {
            return switch (this) {
                case ROOT -> List.of("--pid");
                case USER -> List.of("--user", "--pid", "--preserve-credentials");
                case NONE -> List.of();
            };
        }

        /** Runs a command without the right to undo what has been set up. */
        List<String> drop(Owner owner) {
            return switch (this) {
                case ROOT -> owner.isRoot() ? FEW_RIGHTS : becoming(owner);
                case USER -> List.of("unshare", "--user", "--map-user=" + owner.id(), "--map-group=" + owner.group());
                case NONE -> List.of();
            };
        }
    }
}
