package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.Failures;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** One vendor's way to tell of devices. */
interface Source {
    String vendor();

    /** Whether its tool is on this machine. */
    boolean isHere();

    /** One round: as many calls as it takes, one after another. */
    Told read() throws InterruptedException;

    /** Where the tools are looked for, and how long one call may take. */
    record Ground(List<Path> folders, Duration limit, Tool tool) {
        Ground(List<Path> folders, Duration limit) {
            this(folders, limit, new Tool());
        }

        Optional<String> find(String program) {
            return folders.stream()
                    .map(folder -> folder.resolve(program))
                    .filter(Files::isExecutable)
                    .map(Path::toString)
                    .findFirst();
        }

        /** Reads what a call prints, whatever its exit code says: some print a good table and fail, some fail with 0. */
        Told read(Function<String, Told> reading, String... command) throws InterruptedException {
            return switch (tool.run(List.of(command), limit)) {
                case Tool.Not not -> Told.nothing(not.trouble());
                case Tool.Ended ended
                when ended.output().isBlank() ->
                    Told.nothing(
                            ended.exitCode() == 0
                                    ? Trouble.of(Reason.EMPTY, "It printed nothing.")
                                    : Failures.of(ended.exitCode(), ""));
                case Tool.Ended ended -> judged(ended, reading.apply(ended.output()));
            };
        }

        private static Told judged(Tool.Ended ended, Told told) {
            boolean unsaid = told.troubles().stream()
                    .allMatch(trouble -> trouble.reason() == Reason.LAYOUT || trouble.reason() == Reason.NO_DEVICES);
            if (!told.isUseful()) {
                return ended.exitCode() == 0 || !unsaid
                        ? told
                        : Told.nothing(Failures.of(ended.exitCode(), ended.output()));
            }
            // it may have stopped between two lines, and what is not there is not gone
            if (!told.troubles().isEmpty() || (ended.exitCode() == 0 && ended.whole())) {
                return told;
            }
            return told.and(Told.nothing(
                    ended.exitCode() != 0
                            ? Trouble.of(Reason.FAILED, "It ended with exit code " + ended.exitCode() + ".")
                            : Trouble.of(Reason.CUT_OFF, "Something keeps its output open.")));
        }

        /** What a call prints, empty where it fails. */
        String text(String... command) throws InterruptedException {
            return tool.run(List.of(command), limit) instanceof Tool.Ended ended && ended.exitCode() == 0
                    ? ended.output()
                    : "";
        }

        /** What a call prints, also where it is why it fails. */
        String words(String... command) throws InterruptedException {
            return tool.run(List.of(command), limit) instanceof Tool.Ended ended ? ended.output() : "";
        }
    }
}
