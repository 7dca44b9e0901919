package io.sluice.jobs.protocol;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What reading a job's text came to. */
public sealed interface Read {
    /**
     * A job without a fault.
     *
     * @param secrets the values of its secrets, which stand nowhere else, not even in {@link #toString}
     * @param config the user's text with every secret masked
     * @param warnings sentences for the header {@code X-Warning}
     */
    record Accepted(JobSpec spec, Map<String, String> secrets, String config, List<String> warnings) implements Read {
        public Accepted {
            secrets = Collections.unmodifiableMap(new LinkedHashMap<>(secrets));
            warnings = List.copyOf(warnings);
        }

        @Override
        public String toString() {
            return "Accepted[spec=" + spec + ", secrets=" + secrets.keySet() + "]";
        }
    }

    /** Every fault, in the order of the text. */
    record Refused(int protocol, List<Fault> faults) implements Read {
        public Refused {
            faults = List.copyOf(faults);
        }

        /** OpenPAI's code for it. */
        public String code() {
            return protocol == 1 ? "InvalidParametersError" : "InvalidProtocolError";
        }

        /** All faults as the text of OpenPAI's error. */
        public String message() {
            return faults.stream().map(Fault::sentence).collect(Collectors.joining("\n"));
        }
    }
}
