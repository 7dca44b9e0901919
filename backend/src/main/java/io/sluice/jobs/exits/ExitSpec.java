package io.sluice.jobs.exits;

import java.util.List;

/** What an exit code says, with OpenPAI's names; the texts are ours. */
public record ExitSpec(
        int code,
        String phrase,
        Issuer issuer,
        Causer causer,
        Type type,
        Stage stage,
        Behavior behavior,
        Reaction reaction,
        String reason,
        List<String> repro,
        List<String> solution) {
    public ExitSpec {
        repro = List.copyOf(repro);
        solution = List.copyOf(solution);
    }

    public enum Issuer {
        USER_CONTAINER,
        PAI_OS,
        PAI_RUNTIME,
        PAI_DOCKER,
        PAI_K8S,
        PAI_FC,
        PAI_DB_CONTROLLER,
        UNKNOWN
    }

    public enum Causer {
        USER_SUBMISSION,
        USER_CONTAINER,
        USER_STOP,
        USER_DELETION,
        USER_RETRY,
        USER_UPGRADE,
        USER_UNKNOWN,
        RESOURCE_ALLOCATION_TIMEOUT,
        PAI_OS,
        PAI_DOCKER,
        PAI_RUNTIME,
        PAI_K8S,
        PAI_FC,
        PAI_HW,
        PAI_UNKNOWN,
        UNKNOWN
    }

    public enum Type {
        USER_SUCCESS,
        USER_STOP,
        USER_FAILURE,
        PLATFORM_FAILURE,
        RESOURCE_ALLOCATION_TIMEOUT,
        UNKNOWN_FAILURE
    }

    public enum Stage {
        SUBMITTING,
        ALLOCATING,
        LAUNCHING,
        RUNNING,
        COMPLETING,
        UNKNOWN
    }

    public enum Behavior {
        TRANSIENT,
        TRANSIENT_CONFLICT,
        PERMANENT,
        UNKNOWN
    }

    public enum Reaction {
        ALWAYS_RETRY,
        ALWAYS_BACKOFF_RETRY,
        RETRY_TO_MAX,
        NEVER_RETRY
    }

    ExitSpec withCode(int real) {
        return new ExitSpec(real, phrase, issuer, causer, type, stage, behavior, reaction, reason, repro, solution);
    }
}
