import { config } from "@hotwired/turbo";
import "./copy-button";
import "./elapsed-time";
import "./live-updates";
import "./menu";
import "./morph";
import "./relative-time";
import "./search-form";
import "./page";

config.drive.progressBarDelay = 250;
