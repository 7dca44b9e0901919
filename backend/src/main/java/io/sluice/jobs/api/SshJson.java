package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How the tasks of a job are reached by SSH, in OpenPAI's words: the gateway answers for all of them, each under a user name of its own. */
final class SshJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Jobs jobs;
    private final Supplier<@Nullable Integer> port;

    SshJson(Jobs jobs, Supplier<@Nullable Integer> port) {
        this.jobs = jobs;
        this.port = port;
    }

    Future<Reply> of(Call call, Job job) {
        Integer open = port.get();
        return jobs.detail(job, null).map(detail -> {
            List<JobDetail.Task> running = detail.tasks().stream()
                    .filter(task -> task.phase() == Job.Phase.STARTED)
                    .toList();
            if (open == null || running.isEmpty()) {
                throw Problem.of(
                        Problem.Kind.NOT_FOUND, "NoJobSshInfoError", "SSH info of job " + job.key() + " is not found.");
            }
            return Reply.json(json(job, running, call.authority().host(), open));
        });
    }

    /** No key is made here: whoever comes shows one of their own, so there is nothing to download. */
    private static ObjectNode json(Job job, List<JobDetail.Task> running, String host, int port) {
        ObjectNode answer = JSON.createObjectNode();
        var containers = answer.putArray("containers");
        for (JobDetail.Task task : running) {
            String user = job.key() + "+" + task.role() + "+" + task.index();
            containers
                    .addObject()
                    .put("id", JobJson.uid("task/" + task.id()))
                    .put("sshIp", host)
                    .put("sshPort", Integer.toString(port))
                    .put("sshUser", user)
                    .put("command", "ssh -p " + port + " " + user + "@" + host);
        }
        answer.putObject("keyPair")
                .put("folderPath", "")
                .put("publicKeyFileName", "")
                .put("privateKeyFileName", "")
                .put("privateKeyDirectDownloadLink", "");
        return answer;
    }
}
