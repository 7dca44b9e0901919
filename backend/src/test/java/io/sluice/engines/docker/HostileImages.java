package io.sluice.engines.docker;

import java.util.List;

/** What is no name of an image, whatever else it would be. */
public final class HostileImages {

    public static final List<String> ALL = List.of(
            "--privileged ubuntu",
            "-v /:/host ubuntu",
            "ubuntu --privileged",
            "ubuntu -v /:/host",
            "--net=host ubuntu",
            "ubuntu;id",
            "ubuntu && id",
            "ubuntu|id",
            "$(id)",
            "`id`",
            "ubuntu\n--privileged",
            "ubuntu\t-v/:/x",
            "",
            " ",
            "../../etc/passwd",
            "/etc/passwd",
            "./ubuntu",
            "ubuntu/../root",
            "http://example.org/x",
            "https://example.org/x:1",
            "docker://ubuntu",
            "file:///etc",
            "UBUNTU",
            "ubuntu:",
            "ubuntu:la test",
            "ubuntu@sha256:xyz",
            "ubuntu@",
            ":latest",
            "@sha256:" + "a".repeat(64),
            "a".repeat(64),
            "sha256:" + "a".repeat(64),
            "user:password@registry.example.org/x",
            "registry.example.org:99999999/x",
            "x".repeat(300),
            "ubuntu?tag=1",
            "ubuntu#1",
            "ubuntu%2f..",
            "ubuntu\0",
            "镜像:1",
            "-ubuntu",
            "_/ubuntu",
            "ubuntu//x",
            "registry.example.org/",
            "ubuntu:.",
            "ubuntu:-x",
            "{{.Id}}",
            "ubuntu'",
            "\"ubuntu\"");

    private HostileImages() {}
}
