package io.sluice.jobs.gang;

/** One that a task finds in its environment. */
public record Variable(Kind kind, String name, String value) {

    /** Whose scripts look for it; as a text it is {@code gang.kind.NAME}. */
    public enum Kind {
        TORCH,
        TENSORFLOW,
        CARDS,
        VISIBLE,
        MPI,
        SLUICE,
        DATA,
        PAI,
        MODELARTS,
        APULIS
    }
}
