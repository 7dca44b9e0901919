package io.sluice.endpoints.terminal;

import io.sluice.jobs.Job;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** What the page of a terminal shows before anything has come out of it. */
public record TerminalPage(Job job, String role, int index) {

    /** Where its WebSocket is. */
    public String live() {
        return "/live/jobs/" + job.key() + "/terminal?role=" + URLEncoder.encode(role, StandardCharsets.UTF_8)
                + "&index=" + index;
    }
}
