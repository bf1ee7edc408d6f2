//===- KernelNames.cpp - Short names for the table ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name is a path of namespaces and classes, arguments of the template, and
// parameters. Kernels with the same last word of the path are shortened alike,
// by the first of these forms in which all differ, and for the first two each
// fits:
//
//   void ns::copy<ns::plus<int>, 4>(int *)   as it is
//   copy<plus, 4>                            last words only
//   copy<plus, ..>                           of them, those that differ
//   copy<plus<int>, ..>                      all arguments that differ
//   ns::copy<plus<int>, ..>(int *)           everything that may differ
//
// Names that are still equal, or that are not as a demangler writes them, stay
// whole: the text is only for people, but must not mix up two kernels.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/KernelNames.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace gridspan {

using Text = std::string_view;

/// Returns the depth of brackets after Char, if it was Depth before it. The
/// arrow of a member access is no bracket.
static int depthAfter(char Char, char Before, int Depth) {
  if (Char == '<' || Char == '(' || Char == '{' || Char == '[')
    return Depth + 1;
  if (Char == ')' || Char == '}' || Char == ']' ||
      (Char == '>' && Before != '-'))
    return Depth - 1;
  return Depth;
}

/// Returns the position after the bracket that closes the one at From; npos if
/// there is none.
static size_t closing(Text T, size_t From) {
  int Depth = 0;
  for (size_t I = From; I != T.size(); ++I) {
    Depth = depthAfter(T[I], I ? T[I - 1] : ' ', Depth);
    if (Depth == 0)
      return I + 1;
  }
  return Text::npos;
}

static Text trimmed(Text T) {
  while (T.starts_with(' '))
    T.remove_prefix(1);
  while (T.ends_with(' '))
    T.remove_suffix(1);
  return T;
}

/// Returns what Separator separates outside of brackets.
static std::vector<Text> split(Text T, Text Separator) {
  std::vector<Text> Out;
  int Depth = 0;
  size_t Start = 0;
  for (size_t I = 0; I < T.size(); ++I) {
    if (Depth == 0 && T.substr(I).starts_with(Separator)) {
      Out.push_back(trimmed(T.substr(Start, I - Start)));
      Start = I + Separator.size();
      I = Start - 1;
      continue;
    }
    Depth = depthAfter(T[I], I ? T[I - 1] : ' ', Depth);
  }
  Out.push_back(trimmed(T.substr(Start)));
  return Out;
}

namespace {
/// A word of a path: "plus<int>&" is Word plus, arguments int, Rest &.
struct Component {
  Text Word, Arguments, Rest;
};

/// A name of a kernel, in its parts, which point into the caller's string.
struct KernelName {
  Text Whole;
  std::vector<Component> Path;
  std::vector<Text> Arguments; ///< of the template
  Text Parameters;             ///< with the parentheses
};
} // namespace

static Component componentOf(Text T) {
  const size_t Open = T.find('<');
  // A word in parentheses or braces is one, whatever is in it.
  if (Open == Text::npos || T.find_first_of("({") < Open)
    return {T, {}, {}};
  const size_t End = closing(T, Open);
  if (End == Text::npos)
    return {T, {}, {}};
  return {T.substr(0, Open), T.substr(Open + 1, End - Open - 2), T.substr(End)};
}

static std::vector<Component> pathOf(Text T) {
  std::vector<Component> Out;
  for (Text Part : split(T, "::"))
    Out.push_back(componentOf(Part));
  return Out;
}

/// Returns "4" of "(ns::kind)4".
static Text withoutCast(Text T) {
  if (!T.starts_with('('))
    return T;
  const size_t End = closing(T, 0);
  if (End == Text::npos || End == T.size())
    return T;
  const auto First = static_cast<unsigned char>(T[End]);
  return std::isdigit(First) || First == '-' ? T.substr(End) : T;
}

/// Returns the last word of a type or value: "plus" of "ns::plus<int>".
static std::string lastWord(Text T) {
  const Component Last = pathOf(withoutCast(T)).back();
  return std::string(Last.Word) + std::string(Last.Rest);
}

/// Returns the type or value without namespaces: "hub<int>::policy".
static std::string withArguments(Text T) {
  std::string Out;
  const std::vector<Component> Path = pathOf(withoutCast(T));
  for (size_t I = 0, E = Path.size(); I != E; ++I) {
    const Component &C = Path[I];
    if (C.Arguments.empty() && I + 1 != E)
      continue;
    Out += (Out.empty() ? "" : "::") + std::string(C.Word);
    if (!C.Arguments.empty()) {
      std::string List;
      for (Text Argument : split(C.Arguments, ","))
        List += (List.empty() ? "" : ", ") + withArguments(Argument);
      Out += "<" + List + ">";
    }
    Out += C.Rest;
  }
  return Out;
}

static KernelName parse(Text Whole) {
  KernelName Out;
  Out.Whole = Whole;
  Text Head = Whole;
  // A template's name has the type that it returns in front of it.
  if (Head.starts_with("void "))
    Head.remove_prefix(5);
  for (size_t I = 1; I < Head.size(); ++I)
    if (Head[I] == '(' && Head[I - 1] != ':' &&
        closing(Head, I) == Head.size()) {
      Out.Parameters = Head.substr(I);
      Head = Head.substr(0, I);
      break;
    }
  Out.Path = pathOf(Head);
  if (Text List = Out.Path.back().Arguments; !List.empty())
    Out.Arguments = split(List, ",");
  return Out;
}

using Group = std::vector<KernelName>;

/// Returns the argument at Place; empty if there is none.
static Text argumentAt(const KernelName &N, size_t Place) {
  return Place < N.Arguments.size() ? N.Arguments[Place] : Text();
}

/// Returns the argument by its last word, or with as much of it as tells it
/// from what the others of the group have there.
static std::string distinct(const KernelName &N, size_t Place,
                            const Group &All) {
  const Text Mine = argumentAt(N, Place);
  for (auto *Form : {&lastWord, &withArguments})
    if (std::none_of(All.begin(), All.end(), [&](const KernelName &Other) {
          const Text Its = argumentAt(Other, Place);
          return Its != Mine && Form(Its) == Form(Mine);
        }))
      return Form(Mine);
  return std::string(Mine);
}

static std::string bracketed(const std::vector<std::string> &List) {
  std::string Out;
  for (const std::string &Item : List)
    Out += (Out.empty() ? "<" : ", ") + Item;
  return Out.empty() ? Out : Out + ">";
}

static bool allDiffer(const std::vector<std::string> &Texts) {
  return std::set<std::string>(Texts.begin(), Texts.end()).size() ==
         Texts.size();
}

static bool allFit(const std::vector<std::string> &Texts) {
  return std::all_of(Texts.begin(), Texts.end(), [](const std::string &T) {
    return T.size() <= NameWidth;
  });
}

/// Returns the kernels' last words, with the last words of all arguments.
static std::vector<std::string> lastWords(const Group &All) {
  std::vector<std::string> Out;
  for (const KernelName &N : All) {
    std::vector<std::string> List;
    for (Text Argument : N.Arguments)
      List.push_back(lastWord(Argument));
    Out.push_back(std::string(N.Path.back().Word) + bracketed(List));
  }
  return Out;
}

/// Returns the kernels' last words, with the arguments at Places in the form
/// that FormAt gives them.
template <typename FormFn>
static std::vector<std::string>
withPlaces(const Group &All, const std::set<size_t> &Places, FormFn FormAt) {
  std::vector<std::string> Out;
  for (const KernelName &N : All) {
    std::vector<std::string> List;
    for (size_t I = 0, E = N.Arguments.size(); I != E; ++I)
      if (Places.count(I))
        List.push_back(FormAt(N, I));
      else if (List.empty() || List.back() != "..")
        List.emplace_back("..");
    Out.push_back(std::string(N.Path.back().Word) + bracketed(List));
  }
  return Out;
}

/// Returns the same with as few places as tell all apart, if any do.
template <typename FormFn>
static std::vector<std::string> differing(const Group &All, FormFn FormAt) {
  std::set<size_t> Places;
  for (const KernelName &N : All)
    for (size_t I = 0, E = N.Arguments.size(); I != E; ++I)
      if (FormAt(N, I) != FormAt(All.front(), I))
        Places.insert(I);
  std::vector<std::string> Out = withPlaces(All, Places, FormAt);
  if (!allDiffer(Out))
    return Out;
  // The first ones say what a kernel is for more often than the last.
  const std::vector<size_t> Backwards(Places.rbegin(), Places.rend());
  for (size_t Place : Backwards) {
    Places.erase(Place);
    std::vector<std::string> Fewer = withPlaces(All, Places, FormAt);
    if (allDiffer(Fewer))
      Out = std::move(Fewer);
    else
      Places.insert(Place);
  }
  return Out;
}

/// Returns the texts of a group of different names with one last word.
static std::vector<std::string> shortGroup(const Group &All) {
  std::vector<std::string> Whole;
  for (const KernelName &N : All)
    Whole.emplace_back(N.Whole);
  if (allFit(Whole))
    return Whole;
  std::vector<std::string> Texts = lastWords(All);
  if (allDiffer(Texts) && allFit(Texts))
    return Texts;
  Texts = differing(All, [](const KernelName &N, size_t Place) {
    return lastWord(argumentAt(N, Place));
  });
  if (allDiffer(Texts))
    return Texts;
  Texts = differing(All, [&](const KernelName &N, size_t Place) {
    return distinct(N, Place, All);
  });
  if (allDiffer(Texts))
    return Texts;
  for (size_t I = 0, E = All.size(); I != E; ++I) {
    std::string Front;
    for (size_t J = 0, Last = All[I].Path.size() - 1; J != Last; ++J)
      Front += std::string(All[I].Path[J].Word) + "::";
    Texts[I] = Front + Texts[I] + std::string(All[I].Parameters);
  }
  return allDiffer(Texts) ? Texts : Whole;
}

std::vector<std::string> shortNames(const std::vector<std::string> &Names) {
  std::map<std::string, Group> Groups;
  for (Text Name : std::set<Text>(Names.begin(), Names.end())) {
    KernelName N = parse(Name);
    Groups[std::string(N.Path.back().Word)].push_back(std::move(N));
  }
  std::map<Text, std::string> Texts;
  for (const auto &[Word, All] : Groups) {
    const std::vector<std::string> Short = shortGroup(All);
    for (size_t I = 0, E = All.size(); I != E; ++I)
      Texts[All[I].Whole] = Short[I];
  }
  // Groups differ in a word, but not where a name stands whole.
  std::map<std::string, unsigned> Uses;
  for (const auto &[Name, Short] : Texts)
    ++Uses[Short];
  std::vector<std::string> Out;
  for (const std::string &Name : Names) {
    const std::string &Short = Texts[Name];
    Out.push_back(Uses[Short] == 1 ? Short : Name);
  }
  return Out;
}

} // namespace gridspan
