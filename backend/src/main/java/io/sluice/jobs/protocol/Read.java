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
     * @param warnings what it asks for and does not get, or not so
     */
    record Accepted(JobSpec spec, Map<String, String> secrets, String config, List<Warning> warnings) implements Read {
        public Accepted {
            secrets = Collections.unmodifiableMap(new LinkedHashMap<>(secrets));
            warnings = List.copyOf(warnings);
        }

        @Override
        public String toString() {
            return "Accepted[spec=" + spec + ", secrets=" + secrets.keySet() + "]";
        }
    }

    /** What a job asks for and does not get, or not so. It runs all the same, so whoever sent it has to be told. */
    enum Warning {
        OBSOLETE("killAllOnCompletedTaskNumber has been obsoleted, please use minFailedTaskCount and"
                + " minSucceededTaskCount instead."),
        SSH("jobssh and sshbarrier of the plugin ssh are not needed: the tasks of a job of several reach one another by"
                + " SSH by name, without them."),
        TENSORBOARD_PORT(
                "port of the plugin tensorboard is not used: TensorBoard gets a port that is free, and opens from"
                        + " the job's page."),
        SSH_KEY("A public key of the plugin ssh can not be read, and opens nothing."),
        TEAM_STORAGE("The plugin teamwise_storage is not used: there are no team storages here."),
        MAIL("jobStatusChangeNotification is not used: nobody is sent mail."),
        INFINIBAND("infiniband is not used: tasks see the network of their machine."),
        DEBUG("debug (isDebug, gpuType: debug) is not used: a task that fails ends, and leaves its log and its files."),
        AUTH_FILE("authFile is not used: to sign in to a registry, use the auth of a dockerimage in protocol 2."),
        CODE_DIR(
                "codeDir is not copied to where a task begins: PAI_CODE_DIR names it, and the commands have to fetch it."),
        CELL("pinnedCellId, affinityGroupName and skuNum of hivedScheduler are not used: resourcePerInstance counts."),
        NPU_COUNT(
                "HCCL joins 1, 2, 4 or 8 NPUs of a machine, and 8 of each over several: a task with another number of them"
                        + " gets no rank table.");

        private final String sentence;

        Warning(String sentence) {
            this.sentence = sentence;
        }

        /** For the header {@code X-Warning}. */
        public String sentence() {
            return sentence;
        }

        /** Under which it stands in the reader's language. */
        public String key() {
            return "warning.protocol." + name();
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
