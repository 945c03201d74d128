//! Classification: the one rule that each change belongs to.
//!
//! Invariant: narrow rules claim their changes first; the match has the rest, is exhaustive and takes the first arm that applies, so each change
//! has exactly one rule. A change within a
//! version that neither bundle serves or stores belongs to a rule of its own, unless it is about words. What the policy does not
//! cover is [`crate::UNCLAIMED`].

use crd_inclusion::{Difference, Direction, Edit, Effect, Entries, NodeType, Position, Presence, Proof};
use serde_json::Value;

use crate::change::{Change, LocatedChange, Location};
use crate::context::Context;
use crate::origin::{NewName, Origin, origin};
use crate::rule::default_changed::Kept;
use crate::rule::*;
use crate::stability::bump_of_removal;

/// The rule of a change, with its assessment of the change.
pub fn classify(located: &LocatedChange<'_>, context: &Context<'_>) -> Assessment {
    let claimed = CLAIMS.iter().find_map(|claim| claim(located, context));
    let assessment = claimed.unwrap_or_else(|| of_change(located, context));
    let is_text = [words::RULE.id, cel_words::RULE.id].contains(&assessment.rule.id);
    if !is_text && unserved_version_changed::applies(located, context) {
        return unserved_version_changed::assess(&located.change);
    }
    if unserved_version_changed::refuses_no_request(&located.location, &assessment) {
        return unserved_version_changed::constraint();
    }
    assessment
}

/// The same, also for versions that no request can use.
#[allow(clippy::too_many_lines, reason = "a table: one arm for each change")]
fn of_change(located: &LocatedChange<'_>, context: &Context<'_>) -> Assessment {
    let LocatedChange { location, change } = located;
    match change {
        Change::Resource(Presence::Added(())) => added(NewName::Resource, location, context),
        Change::Resource(Presence::Removed(())) => match context.left_for {
            Some(channel) => resource_removed::left(location.channel, channel),
            None => resource_removed::assess(bump_of_removal(location, context)),
        },
        Change::Group { .. } => resource_moved::renamed("group"),
        Change::Plural { .. } => resource_moved::renamed("plural"),
        Change::Kind { .. } => kind_or_scope::kind(),
        Change::Scope { .. } => kind_or_scope::scope(),
        Change::ListKind(_) => singular_or_list_kind::list_kind(),
        Change::Singular(_) => singular_or_list_kind::singular(),
        Change::ShortName(name) => presentation::assess("a short name", verb_of(name)),
        Change::Category(name) => presentation::assess("a category", verb_of(name)),
        Change::PrinterColumn(column) => presentation::assess("a print column", verb(column)),
        Change::ColumnOrder { .. } => presentation::order(),
        Change::Conversion(Edit::Replaced { old, new }) if webhook::is_webhook(old) && webhook::is_webhook(new) => {
            webhook_changed::assess(old, new)
        }
        Change::Conversion(edit) if edit.after().is_some_and(|new| webhook::is_webhook(new)) => {
            webhook::assess(context.column)
        }
        Change::Conversion(edit)
            if edit.before().is_some_and(|old| webhook::is_webhook(old))
                && edit.after().is_none_or(|new| webhook::is_none(new)) =>
        {
            webhook_removed::assess(location, context.column)
        }
        // Servers refuse every other strategy.
        Change::Conversion(_) => unclaimed::assess(change.description()),
        Change::PreserveUnknownFieldsOfAll(Presence::Added(())) => preserve_added::assess(),
        Change::PreserveUnknownFieldsOfAll(Presence::Removed(())) => preserve_removed::unknown_fields(),
        Change::Annotation { key, value } => labels_and_annotations::assess("an annotation", key, value, verb(value)),
        Change::Label { key, value } => labels_and_annotations::assess("a label", key, value, verb(value)),
        Change::Stamp { .. } => stamps::assess(),
        Change::VersionOrder { .. } | Change::Order { .. } => words::order(),
        Change::Version(Presence::Added(_)) => version_added::assess("the API version was added"),
        Change::Version(Presence::Removed(_)) => match location.old_version {
            Some(version) => version_removed::assess(version, context.column, location.channel),
            None => unclaimed::assess(change.description()),
        },
        Change::Served(Presence::Added(())) => version_added::assess("the API version is served again"),
        Change::Served(Presence::Removed(())) => match location.old_version {
            Some(version) => version_unserved::assess(version, context.column, location.channel),
            None => unclaimed::assess(change.description()),
        },
        Change::Deprecated(Presence::Added(())) => {
            version_added::assess("the API version is deprecated now: servers warn its users")
        }
        Change::Deprecated(Presence::Removed(())) => version_added::assess("the API version is no longer deprecated"),
        Change::DeprecationWarning(_) => words::text("the deprecation warning was changed"),
        Change::Storage(storage) => match (storage.after().map(Vec::as_slice), location.old_crd) {
            (Some([only]), Some(old_crd)) => storage_version::assess(only, old_crd, context.column),
            // Servers refuse a CRD with several storage versions, or without one.
            _ => unclaimed::assess(change.description()),
        },
        Change::SelectableField(Presence::Added(_)) => selectable_or_scale_added::selectable_field(),
        Change::SelectableField(Presence::Removed(_)) => selectable_or_scale_changed::selectable_field(),
        Change::ScaleSubresource(Edit::Added(_)) => selectable_or_scale_added::scale(),
        Change::ScaleSubresource(Edit::Removed(_)) => selectable_or_scale_changed::scale_removed(),
        Change::ScaleSubresource(Edit::Replaced { old, new }) => match selectable_or_scale_added::selects(old, new) {
            true => selectable_or_scale_added::label_selector(),
            false => selectable_or_scale_changed::scale_changed(),
        },
        Change::Scaled(Presence::Added(_)) => tightened::of_scale(),
        Change::Scaled(Presence::Removed(_)) => loosened::of_scale(),
        Change::StatusSubresource(presence) => status_subresource::assess(presence),
        Change::Schema(difference) => in_schema(difference, location, context),
    }
}

/// The same for a change of the schema.
#[allow(clippy::too_many_lines, reason = "a table: one arm for each keyword")]
fn in_schema(difference: &Difference<'_>, location: &Location<'_>, context: &Context<'_>) -> Assessment {
    let position = &location.position;
    match difference {
        Difference::Text(keyword, _) => words::of_schema(*keyword),
        Difference::Order { .. } => words::order(),
        Difference::RuleMessage(_) => cel_words::assess(),
        Difference::Type { old: NodeType::Any, .. } => tightened::of_type(difference.direction_of_type(position)),
        Difference::Type { new: NodeType::Any, .. }
            if difference.direction_of_type(position) == Direction::Loosened =>
        {
            preserve_added::of_type()
        }
        Difference::Type { old, new } => type_changed::assess(*old, *new),
        Difference::Items(_) => type_changed::items(),
        Difference::Default(_) if difference.may_refuse_by_default(position) => tightened::of_default(),
        Difference::Default(Edit::Added(_)) => default_added::assess(),
        Difference::Default(_) if difference.may_refuse_without_default(position) => default_changed::missed(),
        Difference::Default(Edit::Removed(_)) => default_changed::removed(),
        Difference::Default(Edit::Replaced { old, new }) => {
            match default_changed::kept(old, new, position) {
                Some(Kept::Value) => return words::text("the default is written differently and is the same value"),
                Some(Kept::Filled) => return default_added::filled(),
                None => {}
            }
            match condition_list_default::applies(&position.steps, old, new) {
                true => condition_list_default::assess(),
                false => default_changed::replaced(),
            }
        }
        Difference::Field(field) if name_below_preserved::is_checked_anyway(field, position) => {
            words::text("servers check the field here whether the schema lists it or not")
        }
        Difference::Field(Presence::Added(_)) if position.keeps_unknown_fields() => name_below_preserved::assess(),
        Difference::Field(Presence::Added(field)) => added(NewName::Field(field.name), location, context),
        Difference::Field(Presence::Removed(field)) => name_removed::field(field, position),
        Difference::FieldName { new, .. } => renamed::assess(new, position, context.column),
        Difference::EnumValue(_) if difference.direction(position).is_none() => constraint(difference, position),
        Difference::EnumValue(Presence::Added(value)) => new_value(value, difference, location, context),
        Difference::EnumValue(Presence::Removed(_)) => name_removed::value(),
        Difference::Required(_) if difference.is_met_by_each_object(position) => constraint(difference, position),
        Difference::Required(Presence::Added(name)) if position.fills_in(name) => required_with_default::assess(),
        // What is not listed was refused, and is dropped now.
        Difference::AdditionalProperties(Edit::Removed(Entries::Allowed(false)))
            if !position.keeps_unknown_fields() =>
        {
            words::dropped()
        }
        Difference::Required(Presence::Added(_)) if position.steps.is_empty() => required_at_root::assess(),
        Difference::ListType(edit) => list_type::list_type(difference, edit, position),
        Difference::ListMapKeys(key) => list_type::list_map_keys(difference, key.is_addition(), position),
        Difference::MapType(_) => list_type::map_type(position, context.column),
        Difference::PreserveUnknownFields(_) if difference.may_refuse_kept_fields(position) => {
            tightened::of_kept_fields()
        }
        Difference::PreserveUnknownFields(Presence::Added(())) => preserve_added::assess(),
        Difference::PreserveUnknownFields(Presence::Removed(())) => preserve_removed::unknown_fields(),
        Difference::EmbeddedResource(Presence::Added(())) => embedded_resource_added::assess(),
        Difference::EmbeddedResource(Presence::Removed(())) => preserve_removed::embedded_resource(),
        Difference::Required(_)
        | Difference::AdditionalProperties(_)
        | Difference::Nullable(_)
        | Difference::Enum(_)
        | Difference::Pattern(_)
        | Difference::Format(_)
        | Difference::Maximum(_)
        | Difference::Minimum(_)
        | Difference::MultipleOf(_)
        | Difference::MaxLength(_)
        | Difference::MinLength(_)
        | Difference::MaxItems(_)
        | Difference::MinItems(_)
        | Difference::MaxProperties(_)
        | Difference::MinProperties(_)
        | Difference::UniqueItems(_)
        | Difference::AllOf(_)
        | Difference::AnyOf(_)
        | Difference::OneOf(_)
        | Difference::Not(_)
        | Difference::Rule(_)
        | Difference::OptionalOldSelf(_) => constraint(difference, position),
    }
}

fn added(name: NewName<'_>, location: &Location<'_>, context: &Context<'_>) -> Assessment {
    match origin(name, location, context) {
        Origin::Experimental => graduated::assess(name),
        other => name_added::assess(name, other, context.column),
    }
}

/// A new enum value. Where its origin is unknown, the field accepts one more value.
fn new_value(value: &Value, difference: &Difference<'_>, location: &Location<'_>, context: &Context<'_>) -> Assessment {
    let name = NewName::Value(value);
    match origin(name, location, context) {
        Origin::Experimental => graduated::assess(name),
        Origin::New => name_added::assess(name, Origin::New, context.column),
        Origin::Unknown => constraint(difference, &location.position),
    }
}

/// A change of what is accepted, by its direction.
fn constraint(difference: &Difference<'_>, position: &Position<'_>) -> Assessment {
    let Effect { direction, proof } = difference.effect(position);
    let assessment = match direction {
        Some(Direction::Loosened) => loosened::assess(difference),
        Some(direction) if difference.is_rule_about_updates() => tightened::of_updates(direction),
        Some(Direction::Tightened) => tightened::assess(difference),
        Some(Direction::Neither) => incomparable::assess(difference),
        None => match proof {
            None | Some(Proof::Keyword) => words::same_meaning(difference),
            Some(proof) => words::without_effect(difference, position, proof),
        },
    };
    Assessment { proof, ..assessment }
}

/// What happened to a value.
fn verb<T>(edit: &Edit<T>) -> &'static str {
    match edit {
        Edit::Added(_) => "added",
        Edit::Removed(_) => "removed",
        Edit::Replaced { .. } => "changed",
    }
}

fn verb_of<T>(presence: &Presence<T>) -> &'static str {
    if presence.is_addition() { "added" } else { "removed" }
}
