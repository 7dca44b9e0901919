import { config } from "@hotwired/turbo";
import "./copy-button";
import "./door-probe";
import "./elapsed-time";
import "./job-list";
import "./live-updates";
import "./menu";
import "./morph";
import "./relative-time";
import "./search-form";
import "./streams";
import "./training-form";
import "./usage-lines";
import "./page";

config.drive.progressBarDelay = 250;
