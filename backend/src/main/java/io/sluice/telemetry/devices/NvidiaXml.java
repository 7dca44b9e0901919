package io.sluice.telemetry.devices;

import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Reading.Identity;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** What {@code nvidia-smi -q -x} prints, of every version: needed for the parts of divided devices, which no list tells of. */
public final class NvidiaXml {
    private NvidiaXml() {}

    /** @param parts the ids of the parts, as {@code -L} tells them; where it does not, a part is named by its place */
    public static Told devices(String output, Map<String, List<NvidiaCsv.Part>> parts) {
        int begin = output.indexOf("<?xml");
        var troubles = new ArrayList<>(Failures.of(begin < 0 ? output : output.substring(0, begin)));
        if (begin < 0) {
            return Told.nothing(troubles.isEmpty() ? Failures.of(0, output) : troubles.getFirst());
        }
        Element log;
        try {
            log = parser().parse(new InputSource(new StringReader(output.substring(begin))))
                    .getDocumentElement();
        } catch (SAXException | IOException e) {
            return Told.nothing(Trouble.of(Reason.CUT_OFF, String.valueOf(e.getMessage())));
        }
        String driver = text(log, "driver_version");
        var numbers = new Numbers();
        var readings = new ArrayList<Reading>();
        var occupants = new LinkedHashMap<String, List<Occupant>>();
        children(log, "gpu").forEach(gpu -> {
            Reading whole = reading(gpu, driver, readings.size(), numbers);
            readings.add(whole);
            occupants.put(whole.identity().id(), processes(gpu, null));
            readings.addAll(
                    partsOf(gpu, whole, parts.getOrDefault(whole.identity().id(), List.of()), numbers, occupants));
        });
        if (readings.isEmpty()) {
            troubles.add(Trouble.of(Reason.NO_DEVICES, "There is no <gpu> in it."));
        }
        return new Told(readings, occupants, troubles, numbers.absent());
    }

    /** It names a DTD that nobody has; nothing but the text itself is read. */
    private static DocumentBuilder parser() {
        try {
            var factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
            factory.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
            factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
            factory.setExpandEntityReferences(false);
            var builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null);
            return builder;
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Reading reading(Element gpu, String driver, int place, Numbers numbers) {
        String uuid = text(gpu, "uuid");
        String bus = gpu.getAttribute("id");
        boolean divided = text(gpu, "mig_mode", "current_mig").equals("Enabled");
        var identity = new Identity(
                "nvidia",
                uuid.isEmpty() ? bus : uuid,
                minor(gpu).orElse(place),
                text(gpu, "product_name"),
                driver.isEmpty() ? null : driver,
                bus.isEmpty() ? null : bus,
                null,
                divided);
        Values values = Values.NONE
                .with(Metric.UTILISATION, number(gpu, numbers, "utilization", "gpu_util") / 100)
                .with(Metric.MEMORY_BANDWIDTH, number(gpu, numbers, "utilization", "memory_util") / 100)
                .with(Metric.MEMORY_TOTAL, number(gpu, numbers, "fb_memory_usage", "total") * Numbers.MIB)
                .with(Metric.MEMORY_USED, number(gpu, numbers, "fb_memory_usage", "used") * Numbers.MIB)
                .with(Metric.TEMPERATURE, number(gpu, numbers, "temperature", "gpu_temp"))
                .with(Metric.MEMORY_TEMPERATURE, Numbers.of(text(gpu, "temperature", "memory_temp")))
                .with(Metric.POWER, power(gpu, numbers));
        for (String limits : List.of("power_readings", "gpu_power_readings")) {
            values = values.with(Metric.POWER_LIMIT, Numbers.of(text(gpu, limits, "current_power_limit")))
                    .with(Metric.POWER_LIMIT, Numbers.of(text(gpu, limits, "enforced_power_limit")));
        }
        String action = text(gpu, "gpu_recovery_action");
        boolean well = action.isEmpty() || action.equals("None") || action.equals("N/A");
        return Reading.of(identity, values)
                .health(well ? Health.OK : Health.CRITICAL, well ? null : "The driver asks for: " + action, !well);
    }

    private static Optional<Integer> minor(Element gpu) {
        String minor = text(gpu, "minor_number");
        return Numbers.isCount(minor) ? Optional.of(Integer.valueOf(minor)) : Optional.empty();
    }

    /** The version that the DTD names does not say which of these there is. */
    private static double power(Element gpu, Numbers numbers) {
        for (String[] path : new String[][] {
            {"power_readings", "power_draw"},
            {"gpu_power_readings", "power_draw"},
            {"gpu_power_readings", "average_power_draw"},
            {"gpu_power_readings", "instant_power_draw"}
        }) {
            double power = Numbers.of(text(gpu, path));
            if (!Double.isNaN(power)) {
                return power;
            }
        }
        return numbers.read("power_draw", "");
    }

    private static List<Reading> partsOf(
            Element gpu,
            Reading whole,
            List<NvidiaCsv.Part> named,
            Numbers numbers,
            Map<String, List<Occupant>> occupants) {
        List<Element> parts = children(gpu, "mig_devices")
                .flatMap(all -> children(all, "mig_device"))
                .toList();
        var readings = new ArrayList<Reading>();
        for (int at = 0; at < parts.size(); at++) {
            Reading part = part(parts.get(at), at, whole, named, numbers);
            readings.add(part);
            occupants.put(part.identity().id(), processes(gpu, parts.get(at)));
        }
        return readings;
    }

    /** How busy a part is no text tells; what the whole draws is not the part's. */
    private static Reading part(Element part, int at, Reading whole, List<NvidiaCsv.Part> named, Numbers numbers) {
        double number = Numbers.of(text(part, "index"));
        int index = Double.isNaN(number) ? at : (int) number;
        var name = named.stream().filter(one -> one.index() == index).findFirst();
        Identity of = whole.identity();
        var identity = new Identity(
                "nvidia",
                name.map(NvidiaCsv.Part::id)
                        .orElse(of.id() + "/" + text(part, "gpu_instance_id") + "/"
                                + text(part, "compute_instance_id")),
                of.index(),
                of.model() + " MIG" + name.map(one -> " " + one.profile()).orElse(""),
                of.driver(),
                of.bus(),
                of.id(),
                false);
        return Reading.of(
                        identity,
                        Values.NONE
                                .with(
                                        Metric.MEMORY_TOTAL,
                                        number(part, numbers, "fb_memory_usage", "total") * Numbers.MIB)
                                .with(
                                        Metric.MEMORY_USED,
                                        number(part, numbers, "fb_memory_usage", "used") * Numbers.MIB))
                .health(whole.health(), whole.note(), whole.broken());
    }

    /** @param part whose they are, null: all of them */
    private static List<Occupant> processes(Element gpu, @Nullable Element part) {
        return children(gpu, "processes")
                .flatMap(all -> children(all, "process_info"))
                .filter(one -> Numbers.isCount(text(one, "pid")))
                .filter(one -> part == null || isOn(one, part))
                .map(one -> new Occupant(
                        Long.parseLong(text(one, "pid")),
                        text(one, "process_name"),
                        Numbers.of(text(one, "used_memory")) * Numbers.MIB))
                .toList();
    }

    private static boolean isOn(Element process, Element part) {
        return Stream.of("gpu_instance_id", "compute_instance_id")
                .allMatch(name -> text(process, name).equals(text(part, name)));
    }

    private static double number(Element gpu, Numbers numbers, String... path) {
        return numbers.read(path[path.length - 1], text(gpu, path));
    }

    private static String text(Element from, String... path) {
        Element at = from;
        for (String name : path) {
            var next = children(at, name).findFirst();
            if (next.isEmpty()) {
                return "";
            }
            at = next.get();
        }
        String text = at.getTextContent();
        return text == null ? "" : text.strip();
    }

    private static Stream<Element> children(Element of, String name) {
        NodeList nodes = of.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(node ->
                        node instanceof Element element && element.getTagName().equals(name))
                .map(Element.class::cast);
    }
}
