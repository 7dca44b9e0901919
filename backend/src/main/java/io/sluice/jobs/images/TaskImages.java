package io.sluice.jobs.images;

import io.sluice.engines.Engine.Kept;
import io.sluice.engines.Task;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Secrets;
import io.sluice.jobs.protocol.TaskScript;
import java.util.Map;

/** What tasks run in. */
public final class TaskImages {
    private final Images images;

    public TaskImages(Images images) {
        this.images = images;
    }

    /** Waits for the database where it was saved of a task: it is for all once the catalogue has it. */
    public Task.Image of(JobSpec spec, JobSpec.Role role, Map<String, String> values) {
        var name = TaskScript.image(spec, role);
        JobSpec.Auth auth = spec.image(role).auth();
        String password = auth == null ? null : auth.password();
        // who names no registry means the one that the image is in
        String registry = auth == null || auth.registry().equals(JobSpec.Auth.DOCKER_HUB) ? null : auth.registry();
        return new Task.Image(
                name,
                auth == null ? null : auth.username(),
                password == null ? null : Secrets.render(password, values),
                registry,
                name.startsWith(Kept.REGISTRY + "/") && images.isAccepted(name).await());
    }
}
