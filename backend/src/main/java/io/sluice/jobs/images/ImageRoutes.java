package io.sluice.jobs.images;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.files.catalogue.EntryRoutes;
import io.sluice.files.catalogue.Typed;
import io.sluice.web.Problem;
import java.util.LinkedHashMap;
import java.util.Map;

/** The catalogue of images for programs. */
final class ImageRoutes extends EntryRoutes<Image, Image.Content> {
    ImageRoutes(Images images) {
        super(images, Image.Content.EMPTY, "jobs");
    }

    @Override
    protected Map<String, Object> shown(Image image) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Image.Content content = image.content();
        shown.put("description", content.description());
        shown.put("repository", content.repository());
        shown.put("tags", content.tags());
        shown.put("framework", content.framework());
        shown.put("device", content.device().key());
        return shown;
    }

    @Override
    protected Image.Content content(ObjectNode body, Image.Content otherwise) {
        String device = Typed.text(body, "device", otherwise.device().key());
        return new Image.Content(
                Typed.text(body, "name", otherwise.name()).strip(),
                Typed.text(body, "description", otherwise.description()),
                Typed.text(body, "repository", otherwise.repository()),
                Typed.texts(body, "tags", otherwise.tags()),
                Typed.text(body, "framework", otherwise.framework()).strip(),
                DeviceKind.of(device)
                        .orElseThrow(() -> Problem.invalid(
                                "device is one of " + String.join(", ", DeviceKind.KEYS) + ", not " + device + ".")));
    }
}
